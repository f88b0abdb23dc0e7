import { LeasedReads, type Lent } from './leased-reads';
import { ManualClock, settled } from './testing/manual-clock';

describe('reads of another service that many callers share', () => {
  let clock: ManualClock;
  /** Each call with its keys, until the test answers it. */
  let calls: { keys: readonly number[]; answer(version?: string): void; fail(error: Error): void }[];
  let refused: Error | undefined;
  beforeEach(() => {
    clock = new ManualClock();
    calls = [];
    refused = undefined;
  });

  const reads = (
    options: { keysPerRead?: number; readsMax?: number; keptMax?: number; staleMs?: number; leaseMs?: number } = {},
  ) =>
    new LeasedReads<number, string>({
      keysPerRead: 10,
      readsMax: 1,
      keptMax: 100,
      nowMs: () => clock.nowMs(),
      ...options,
      read: keys =>
        new Promise((resolve, reject) => {
          const lent = (key: number, version: string): [number, Lent<string> | Error][] =>
            key === 13
              ? refused
                ? [[key, refused]]
                : []
              : [[key, { value: `${key}${version}`, leaseMs: options.leaseMs ?? 1_000 }]];
          const answer = (version = 'a') => resolve(new Map(keys.flatMap(key => lent(key, version))));
          calls.push({ keys, answer, fail: reject });
        }),
    });
  const keysOfCalls = () => calls.map(({ keys }) => keys);

  it('regression: a key has one read under way, however many callers ask and however often', async () => {
    const cache = reads({ readsMax: 8 });
    const waiting = Array.from({ length: 64 }, () => cache.current(1));
    await settled();
    waiting.push(cache.current(1));
    expect(keysOfCalls()).toEqual([[1]]);
    calls[0]!.answer();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['1a']));
  });

  it('a read that fails fails for all who share it, and the next caller begins another', async () => {
    const cache = reads();
    const waiting = [cache.current(1), cache.current(1)];
    calls[0]!.fail(new Error('away'));
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = cache.current(1);
    calls[1]!.answer();
    expect(await next).toBe('1a');
  });

  it('keys that come while the reads are under way share the next call, up to its limit', async () => {
    const cache = reads({ keysPerRead: 2 });
    const waiting = [cache.current(9), cache.settled([1, 2, 1, 3])];
    expect(keysOfCalls()).toEqual([[9]]);
    for (let call = 0; call < 3; call++) {
      calls[call]!.answer();
      await settled();
    }
    await Promise.all(waiting);
    expect(keysOfCalls()).toEqual([[9], [1, 2], [3]]);
  });

  it('no more calls run at the same time than allowed', async () => {
    const cache = reads({ keysPerRead: 1, readsMax: 2 });
    const waiting = cache.settled([1, 2, 3]);
    expect(keysOfCalls()).toEqual([[1], [2]]);
    calls[1]!.answer();
    await settled();
    expect(keysOfCalls()).toEqual([[1], [2], [3]]);
    calls[0]!.answer();
    calls[2]!.answer();
    expect((await waiting).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('a key that is refused or missing fails alone (T-29)', async () => {
    const cache = reads();
    refused = new Error('unusable');
    let waiting = cache.settled([1, 13]);
    calls[0]!.answer();
    expect(await waiting).toEqual([{ status: 'fulfilled', value: '1a' }, { status: 'rejected', reason: refused }]); // prettier-ignore
    refused = undefined;
    waiting = cache.settled([13, 2]);
    calls[1]!.answer();
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });

  it('a lease counts from before the call, and no call is made inside it', async () => {
    const cache = reads();
    const first = cache.current(1);
    await clock.advance(600);
    calls[0]!.answer();
    await first;
    await clock.advance(399);
    expect([await cache.current(1), cache.leasedNow(1)]).toEqual(['1a', '1a']);
    await clock.advance(1);
    expect([cache.leasedNow(1), cache.last(1)]).toEqual([undefined, '1a']);
    const second = cache.current(1);
    calls[1]!.answer('b');
    expect(await second).toBe('1b');
  });

  it('where a stale value may be used, nobody waits for its renewal, not even for one that fails', async () => {
    const cache = reads({ staleMs: 5_000 });
    const first = cache.current(1);
    calls[0]!.answer();
    await first;
    await clock.advance(1_000);
    expect([await cache.current(1), await cache.current(1)]).toEqual(['1a', '1a']);
    calls[1]!.fail(new Error('away'));
    await clock.advance(4_999);
    expect(await cache.current(1)).toBe('1a');
    expect(keysOfCalls()).toEqual([[1], [1], [1]]);
    await clock.advance(1);
    const waiting = cache.current(1);
    calls[2]!.answer('b');
    expect(await waiting).toBe('1b');
  });

  it('a value without a lease is given to those who asked for it, and not kept', async () => {
    const cache = reads({ leaseMs: 0, staleMs: 5_000 });
    const waiting = [cache.current(1), cache.current(1)];
    calls[0]!.answer();
    expect(await Promise.all(waiting)).toEqual(['1a', '1a']);
    void cache.current(1);
    expect(keysOfCalls()).toEqual([[1], [1]]);
  });

  it('keeps the values that were read last', async () => {
    const cache = reads({ keptMax: 2 });
    const waiting = cache.settled([1, 2, 3]);
    calls[0]!.answer();
    await waiting;
    expect([1, 2, 3].map(key => cache.last(key))).toEqual([undefined, '2a', '3a']);
  });
});
