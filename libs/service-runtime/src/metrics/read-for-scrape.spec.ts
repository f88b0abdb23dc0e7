import { readForScrape } from './read-for-scrape';

describe('a value that is read at each scrape', () => {
  it('has the value that was read', async () => {
    expect(await readForScrape(async () => 7, Number.NaN)).toBe(7);
  });

  it.each([
    ['never comes', () => new Promise<number>(() => undefined)],
    ['fails', () => Promise.reject(new Error('database away'))],
    ['cannot be asked for', () => { throw new Error('no pool'); }], // prettier-ignore
  ])('is unknown when the read %s; the scrape continues', async (_what, read: () => Promise<number>) => {
    expect(await readForScrape(read, Number.NaN)).toBeNaN();
  });
});
