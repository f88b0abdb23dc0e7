import { QueueFullError } from '@paycode/persistence';
import { schedulerUnderTest } from './testing/scheduler-under-test';
import { InMemoryReversalDatabase } from './testing/in-memory-reversal-database';
import { reversalStoresConformance } from './testing/reversal-stores.conformance';

const job = (transactionId: number, attempt = 1) => ({ transactionId, merchantId: 7, attempt });

describe('arming', () => {
  it('answers for every item, in order, and counts it (P-I5)', async () => {
    const { arm, database, metrics } = schedulerUnderTest();
    const answers = await arm([job(3), job(1), job(2)]);
    expect(answers).toEqual([3, 1, 2].map(transactionId => ({ transactionId, decision: null })));
    expect([database.jobRows.size, metrics.armedCount]).toEqual([3, 3]);
  });

  it('takes the last attempt of several items of one payment, because an upsert may change a row only once (A-13)', async () => {
    const { arm, database } = schedulerUnderTest();
    const written = jest.spyOn(database.jobs, 'arm');
    expect(await arm([job(1, 2), job(2, 1), job(1, 1), job(2, 3)])).toHaveLength(4);
    expect(written.mock.calls.map(([jobs]) => jobs)).toEqual([[job(1, 2), job(2, 3)]]);
  });

  describe('while a write runs', () => {
    let nextId = 1;
    const jobs = (count: number) => Array.from({ length: count }, () => job(nextId++));

    /** Writes wait until `write`. */
    const gated = () => {
      const { arm, database } = schedulerUnderTest();
      const { promise: written, resolve: write } = Promise.withResolvers<void>();
      const sizes: number[] = [];
      database.jobs.arm = async items => {
        sizes.push(items.length);
        await written;
        return { decided: new Map(), acknowledged: new Map() };
      };
      return { arm, write, sizes };
    };

    it('what comes waits for it and shares the next one; what comes when 1,000 items wait is written beside it', async () => {
      const { arm, write, sizes } = gated();
      const calls = [1, 500, 499, 1].map(count => arm(jobs(count)));
      expect(sizes).toEqual([1]);
      calls.push(arm(jobs(300)));
      expect(sizes).toEqual([1, 300]);
      write();
      await Promise.all(calls);
      expect(sizes).toEqual([1, 300, 1_000]);
    });

    it('writes share 2,000 items at most, and what would be more than 50,000 that wait is refused', async () => {
      const { arm, write, sizes } = gated();
      const counts = [1, ...Array.from({ length: 51 }, () => 1_000)];
      const calls = Promise.allSettled(counts.map(count => arm(jobs(count))));
      expect(sizes).toEqual([1, 1_000]);
      await expect(arm(jobs(1))).rejects.toThrow(QueueFullError);
      write();
      expect((await calls).map(({ status }) => status)).toEqual(counts.map(() => 'fulfilled'));
      expect(Math.max(...sizes)).toBe(2_000);
      expect(sizes.reduce((sum, size) => sum + size)).toBe(51_001);
    });
  });

  it('an item whose data the database refuses has no answer; the others have theirs (T-29)', async () => {
    const { arm, database, metrics } = schedulerUnderTest();
    const real = database.jobs.arm.bind(database.jobs);
    database.jobs.arm = async (jobs, delayMs) => {
      if (jobs.some(({ transactionId }) => transactionId === 2)) throw Object.assign(new Error('refused'), { code: '22021' });
      return real(jobs, delayMs);
    };
    const answers = await arm([job(1), job(2), job(3)]);
    expect(answers.map(({ transactionId }) => transactionId)).toEqual([1, 3]);
    expect(metrics.parkedWork).toEqual(['arm 2']);
  });
});

describe('reversal stores in memory', () => {
  reversalStoresConformance(async () => {
    let nowUs = 1_700_000_000_000_000;
    const database = new InMemoryReversalDatabase(() => nowUs++);
    return { jobs: database.jobs, decisions: database.decisions, outbox: () => Promise.resolve(database.outbox) };
  });
});
