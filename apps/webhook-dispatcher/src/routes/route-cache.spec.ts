import { InternalCallError } from '@paycode/access';
import type { Route } from '@paycode/dto';
import { isDataFault } from '@paycode/persistence';
import { ManualClock } from '@paycode/service-runtime/timing/testing';
import { routeTo } from '../dispatcher/testing/fakes';
import { RouteCache, RouteSource, RouteUnavailableError } from './route-cache';

class Source extends RouteSource {
  readonly asked: number[][] = [];
  url = 'https://first.example/hook';
  /** Calls that name it are refused; left out of answers; URLs of single merchants. */
  refused = 0;
  forgotten = 0;
  readonly urls = new Map<number, string>();
  beforeAnswer: () => Promise<void> = async () => undefined;

  override async routes(merchantIds: readonly number[]): Promise<Route[]> {
    this.asked.push([...merchantIds]);
    const { url } = this;
    await this.beforeAnswer();
    if (merchantIds.includes(this.refused)) throw new InternalCallError('routes answered 400', 400, true, undefined);
    const known = merchantIds.filter(merchantId => merchantId !== this.forgotten);
    return known.map(merchantId => routeTo(this.urls.get(merchantId) ?? url, { merchantId, leaseMs: 1_000 }));
  }
}

describe('routes under a lease (P-I11, A-10)', () => {
  let clock: ManualClock;
  let source: Source;
  let cache: RouteCache;
  beforeEach(() => {
    clock = new ManualClock();
    source = new Source();
    cache = new RouteCache(source, clock);
  });

  it('reads once per lease and again after it, so that a renewed key takes effect at once', async () => {
    expect((await cache.current(1)).url).toBe('https://first.example/hook');
    source.url = 'https://second.example/hook';
    await clock.advance(999);
    expect((await cache.current(1)).url).toBe('https://first.example/hook');
    await clock.advance(1);
    expect(cache.leasedNow(1)).toBeUndefined();
    expect((await cache.current(1)).url).toBe('https://second.example/hook');
    expect(source.asked).toHaveLength(2);
  });

  it('counts the lease from before the call, however long the answer took', async () => {
    source.beforeAnswer = () => clock.advance(600);
    await cache.current(1);
    await clock.advance(399);
    expect(cache.leasedNow(1)).toBeDefined();
    await clock.advance(1);
    expect(cache.leasedNow(1)).toBeUndefined();
  });

  it('an answer older than its own lease is no route', async () => {
    source.beforeAnswer = () => clock.advance(1_000);
    await expect(cache.current(1)).rejects.toThrow(RouteUnavailableError);
  });

  it('regression: an answer that comes after its lease is asked for again, so that a delivery is not held back for it (P-T8)', async () => {
    const delaysMs = [1_000, 1_000, 999];
    source.beforeAnswer = () => clock.advance(delaysMs.shift()!);
    expect((await cache.current(1)).url).toBe('https://first.example/hook');
    expect(source.asked).toEqual([[1], [1], [1]]);
  });

  it('asks for many merchants at once and for each only once', async () => {
    const waiting = cache.current(9);
    await Promise.all([waiting, cache.current(1), cache.current(2), cache.current(1)]);
    expect(source.asked).toEqual([[9], [1, 2]]);
  });

  it('an event whose merchant has an old lease begins the read that its POST waits for, and is stored meanwhile', async () => {
    await cache.learn([1]);
    await clock.advance(1_000);
    let answer = () => {};
    const answered = new Promise<void>(resolve => (answer = resolve));
    source.beforeAnswer = () => answered;
    await cache.learn([1]);
    await cache.learn([1]);
    const route = cache.current(1);
    answer();
    expect((await route).url).toBe('https://first.example/hook');
    expect(source.asked).toEqual([[1], [1]]);
  });

  it('when that read fails, or its answer is older than the lease, the POST reads for itself (P-T8)', async () => {
    await cache.learn([1]);
    const answers = [() => Promise.reject(new Error('down')), () => clock.advance(1_000)];
    for (const beforeAnswer of answers) {
      await clock.advance(1_000);
      source.beforeAnswer = beforeAnswer;
      await cache.learn([1]);
      const route = cache.current(1);
      source.beforeAnswer = async () => undefined;
      expect((await route).url).toBe('https://first.example/hook');
    }
    expect(source.asked).toEqual([[1], [1], [1], [1], [1]]);
  });

  it('an unreachable source gives an error, never an old route (P-T8)', async () => {
    await cache.current(1);
    await clock.advance(1_000);
    const cause = new Error('down');
    source.beforeAnswer = () => Promise.reject(cause);
    const failure: unknown = await cache.current(1).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(RouteUnavailableError);
    expect(failure).toMatchObject({ message: 'routes cannot be read', cause });
    expect(cache.lastOrigin(1)).toBe('https://first.example');
  });

  it('a merchant that is refused, forgotten or has an unreadable URL has no route; the others have theirs (T-29)', async () => {
    Object.assign(source, { refused: 3, forgotten: 5 });
    source.urls.set(7, 'no URL');
    const merchants = [1, 2, 3, 4, 5, 6, 7, 8];
    const outcomes = await Promise.allSettled(merchants.map(merchantId => cache.current(merchantId)));
    const failed = merchants.filter((_, at) => outcomes[at]!.status === 'rejected');
    expect(failed).toEqual([3, 5, 7]);
    const faults = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [isDataFault(outcome.reason)] : []));
    expect(faults).toEqual([true, true, true]);
    await cache.learn([13, 3, 14]);
    expect([13, 14].map(merchantId => cache.lastOrigin(merchantId))).toEqual(['https://first.example', 'https://first.example']);
  });

  it('asks for a thousand merchants at a time, and keeps the routes of the last fifty thousand', async () => {
    const known = () => [1, 2, 50_000, 50_001].filter(merchantId => cache.lastOrigin(merchantId) !== undefined);
    await cache.learn(Array.from({ length: 50_000 }, (_, at) => at + 1));
    expect(source.asked.map(page => page.length)).toEqual(Array.from({ length: 50 }, () => 1_000));
    expect(known()).toEqual([1, 2, 50_000]);
    await cache.learn([50_001]);
    expect(known()).toEqual([2, 50_000, 50_001]);
  });

  it('learns only merchants it has never seen, and leaves failures to the attempt', async () => {
    await cache.learn([1, 2, 2]);
    await cache.learn([2, 3]);
    expect(source.asked).toEqual([[1, 2], [3]]);
    source.beforeAnswer = () => Promise.reject(new Error('down'));
    await cache.learn([4]);
    expect(cache.lastOrigin(4)).toBeUndefined();
  });

  it('each relay of a sandbox is an endpoint of its own; other URLs of its origin are one (A-78)', async () => {
    cache = new RouteCache(source, clock, { relaysUrl: 'https://sandbox.example/public/relay/' });
    const urls = ['public/relay/one', 'public/relay/one/?part=2', 'public/relay/other', 'hook/one', 'hook/other'];
    urls.forEach((path, at) => source.urls.set(at + 1, `https://sandbox.example/${path}`));
    await cache.learn(source.urls.keys());
    expect(urls.map((_, at) => cache.lastOrigin(at + 1))).toEqual([
      ...['https://sandbox.example/public/relay/one', 'https://sandbox.example/public/relay/one'],
      ...['https://sandbox.example/public/relay/other', 'https://sandbox.example', 'https://sandbox.example'],
    ]);
  });
});
