import fc from 'fast-check';
import { register } from 'prom-client';
import { FlushQueue } from './flush-queue';
import { countParked, DataFault, dataFaultReason, isDataFault, isolate } from './isolate';

interface Item {
  id: number;
  isPoison: boolean;
}

/** A database that refuses a statement with a poisoned item as PostgreSQL does, and drops the connection at one call if told to. */
function database(lostAtCall = Infinity) {
  const calls: (readonly Item[])[] = [];
  const state = { isHealed: false };
  const flush = (items: readonly Item[]): Promise<number[]> => {
    calls.push(items);
    if (calls.length === lostAtCall && !state.isHealed) return Promise.reject(new Error('connection lost'));
    const poison = items.find(item => item.isPoison);
    if (poison) return Promise.reject(Object.assign(new Error(`poison ${poison.id}`), { code: '22021' }));
    return Promise.resolve(items.map(item => item.id * 10));
  };
  return { calls, flush, state };
}

const limits = { flushMax: 1_000, queueMax: 10_000 };
const outcomeOf = <T>(result: PromiseSettledResult<T>) =>
  result.status === 'fulfilled' ? result.value : (result.reason as Error).message;

/** Requests of one to four items, any of them poisoned. */
const requestsOf = fc
  .array(fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 40 })
  .map(requests => {
    let id = 0;
    return requests.map(request => request.map(isPoison => ({ id: ++id, isPoison })));
  });

/** The first request is flushed alone, so that the others share a flush. */
async function runAll<T>(queue: FlushQueue<Item, number>, requests: readonly T[], run: (request: T) => Promise<unknown>) {
  const first = queue.run([{ id: 0, isPoison: false }]);
  const results = Promise.allSettled(requests.map(run));
  await first;
  return (await results).map(outcomeOf);
}

describe('one request never fails another by its data (T-29)', () => {
  it('every healthy request gets its own outputs, every poisoned one its own error, within the stated number of flushes', () =>
    fc.assert(
      fc.asyncProperty(requestsOf, async requests => {
        const { calls, flush } = database();
        const queue = new FlushQueue(flush, limits);
        const outcomes = await runAll(queue, requests, request => queue.run(request));
        expect(outcomes).toEqual(
          requests.map(request => {
            const poison = request.find(item => item.isPoison);
            return poison ? `poison ${poison.id}` : request.map(item => item.id * 10);
          }),
        );
        const culprits = requests.filter(request => request.some(item => item.isPoison)).length;
        expect(calls.length).toBeLessThanOrEqual(2 + 2 * culprits * Math.ceil(Math.log2(Math.max(1, requests.length))));
        expect(calls.length).toBeLessThanOrEqual(2 * requests.length + 1);
        expect(queue.depth).toBe(0);
      }),
    ));

  it('a lost connection fails the open requests once, and the queue continues', () =>
    fc.assert(
      fc.asyncProperty(requestsOf, fc.integer({ min: 2, max: 30 }), async (requests, lostAtCall) => {
        const { calls, flush, state } = database(lostAtCall);
        const queue = new FlushQueue(flush, limits);
        const outcomes = await runAll(queue, requests, request => queue.run(request));
        requests.forEach((request, at) => {
          const poison = request.find(item => item.isPoison);
          const own = poison ? `poison ${poison.id}` : request.map(item => item.id * 10);
          expect([own, 'connection lost']).toContainEqual(outcomes[at]);
        });
        // The code sends no further statement on a lost connection.
        if (outcomes.includes('connection lost')) expect(calls.length).toBe(lostAtCall);
        state.isHealed = true;
        expect(await queue.run([{ id: 5, isPoison: false }])).toEqual([50]);
      }),
    ));

  it('a lone culprit costs no second flush', async () => {
    const { calls, flush } = database();
    const queue = new FlushQueue(flush, limits);
    await expect(queue.run([{ id: 1, isPoison: true }])).rejects.toThrow('poison 1');
    expect(calls).toHaveLength(1);
  });
});

describe('faults of the data (T-29)', () => {
  const withCode = (code: string) => Object.assign(new Error(code), { code });

  it.each(['21000', '22021', '22P02', '23505', '23514', '54000', '54001'])('SQLSTATE %s counts', code =>
    expect(isDataFault(withCode(code))).toBe(true),
  );

  it.each(['08006', '25006', '40001', '40P01', '42P01', '53300', '57014', '57P01', 'ECONNRESET', 'E2300', '2300'])(
    '%s does not count',
    code => expect(isDataFault(withCode(code))).toBe(false),
  );

  it('the 400 of an internal call counts; another answer or none does not', () => {
    const call = (status: number | null, isDefinite = true) => Object.assign(new Error('call'), { status, isDefinite });
    const others = [call(400, false), call(401), call(404), call(429), call(500), call(null)];
    expect([call(400), ...others].map(isDataFault)).toEqual([true, ...others.map(() => false)]);
  });

  it('is seen behind seven causes, and not behind eight', () => {
    const behind = (causes: number): Error =>
      causes === 0 ? withCode('22021') : new Error('cause', { cause: behind(causes - 1) });
    expect([behind(7), behind(8)].map(isDataFault)).toEqual([true, false]);
  });

  it('no work is done for no units', async () => {
    const write = jest.fn(async () => undefined);
    await isolate([], { write, failed: () => undefined });
    expect(write).not.toHaveBeenCalled();
  });

  it('is found behind a driver and in causes, even if the causes form a loop', () => {
    const query = Object.assign(new Error('query failed'), { driverError: withCode('22021') });
    expect(isDataFault(new Error('cannot write', { cause: query }))).toBe(true);
    expect(isDataFault(new Error('cannot encode', { cause: new DataFault('no text') }))).toBe(true);
    expect(dataFaultReason(new Error('cannot write', { cause: query }))).toBe('refused by the database, SQLSTATE 22021');
    const looped = new Error('round');
    looped.cause = looped;
    expect([looped, undefined, null, '22021', { code: 22021 }].map(isDataFault)).toEqual([false, false, false, false, false]);
  });
});

describe('work that was parked', () => {
  it('is counted by step, and a step that never failed stands at 0, so that its first item is an increase (T-29)', async () => {
    countParked('settle');
    const { values } = await register.getSingleMetric('paycode_persistence_work_parked_total')!.get();
    expect(Object.fromEntries(values.map(({ labels, value }) => [labels['step'], value]))).toEqual({
      arm: 0,
      close: 0,
      decide: 0,
      notice: 0,
      outbox: 0,
      send: 0,
      settle: 1,
      verdict: 0,
    });
  });
});
