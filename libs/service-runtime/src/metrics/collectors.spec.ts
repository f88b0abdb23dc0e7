import { register } from 'prom-client';
import { counter, gauge, histogram, readForScrape, scrapedGauge } from './collectors';

const scraped = (name: string) => register.getSingleMetricAsString(name);

describe('collectors', () => {
  afterEach(() => register.clear());

  it('a second application of the process shares the counters, gauges and histograms of the first', async () => {
    const twice = <T>(create: () => T) => [create(), create()] as const;
    const [first, second] = twice(() => counter('made_total', 'Made.', ['kind']));
    first.inc({ kind: 'a' });
    second.inc({ kind: 'a' }, 2);
    expect(await scraped('made_total')).toContain('made_total{kind="a"} 3');
    for (const create of [() => gauge('depth', 'Depth.'), () => histogram('age_seconds', 'Age.', { buckets: [1, 2] })]) {
      const [one, other] = twice<unknown>(create);
      expect(one).toBe(other);
    }
    histogram('age_seconds', 'Age.', { buckets: [1, 2] }).observe(1.5);
    expect(await scraped('age_seconds')).toContain('age_seconds_bucket{le="2"} 1');
  });

  it('a gauge that is read when scraped uses the reader registered last', async () => {
    scrapedGauge({ name: 'held', help: 'Held.' }, each => each.set(1));
    scrapedGauge({ name: 'held', help: 'Held.', labelNames: ['kind'] }, async each => each.set({ kind: 'b' }, 2));
    expect(await scraped('held')).toContain('held{kind="b"} 2');
    expect(await scraped('held')).not.toContain(' 1');
  });
});

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
