import { undoneAfterEach } from './eventually';

describe('what a test begins', () => {
  const ended: string[] = [];
  /** Runs after the ends: hooks of the outer scope come later. */
  const seen: string[][] = [];
  afterEach(() => void seen.push(ended.splice(0)));

  describe('is ended', () => {
    const later = undoneAfterEach();

    it('when the test has ended, last first', () => {
      later(() => ended.push('first'));
      later(async () => ended.push(await Promise.resolve('second')));
      expect(ended).toEqual([]);
    });

    it('once', () => {
      expect(seen).toEqual([['second', 'first']]);
    });
  });
});
