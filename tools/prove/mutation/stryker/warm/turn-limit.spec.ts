import { TurnLimit } from './turn-limit.ts';

const hourMs = 3_600_000;
const ofJest = 'Exceeded timeout of 30000 ms for a test.';

describe('a test that does not end', () => {
  let open = 2;
  let limit: TurnLimit;
  beforeEach(() => {
    open = 2;
    limit = new TurnLimit(3, () => open);
  });

  it('is ended by turns when nothing but timers is under way, which judges the mutant', async () => {
    await new Promise<void>(resolve => limit.after(resolve, hourMs));
    expect([limit.reword(ofJest), limit.reword('expected 1')]).toEqual([
      'did not end in 3 turns of the event loop',
      'expected 1',
    ]);
  });

  it('stays ended by turns while its hooks end in time, and the next test begins anew', async () => {
    limit.nextTest();
    await new Promise<void>(resolve => limit.after(resolve, hourMs));
    clearTimeout(limit.after(() => undefined, hourMs));
    expect(limit.reword(ofJest)).toBe('did not end in 3 turns of the event loop');
    limit.nextTest();
    expect(limit.reword(ofJest)).toBe(ofJest);
  });

  it('is ended by the clock while more is under way than at first, which judges nothing', async () => {
    open = 3;
    await new Promise<void>(resolve => limit.after(resolve, 0));
    expect(limit.reword(ofJest)).toBe(ofJest);
  });

  it('is not ended once its timer is cleared', async () => {
    const run = jest.fn();
    clearTimeout(limit.after(run, 0));
    await new Promise<void>(resolve => limit.after(resolve, hourMs));
    expect(run).not.toHaveBeenCalled();
  });
});
