import type { ReversalRequested } from '@paycode/dto';
import { PostgresShardStore, shardOf } from '@paycode/ownership';
import { shardStoreConformance } from '@paycode/ownership/testing';
import { createTestDatabase, locksInOrder, testDatabaseForEach } from '@paycode/persistence/testing';
import type { DataSource } from 'typeorm';
import { migrations } from '../../migrations';
import { decisionFor } from './domain/decision';
import { reversalStoresConformance } from './testing/reversal-stores.conformance';
import { PostgresDecisionStore } from './postgres-decision.store';
import { PostgresJobStore } from './postgres-job.store';

describe('reversal stores in PostgreSQL', () => {
  const database = testDatabaseForEach({ migrations });
  let stores: { jobs: PostgresJobStore; decisions: PostgresDecisionStore };
  let woken = 0;

  beforeEach(async () => {
    woken = 0;
    stores = {
      jobs: new PostgresJobStore(database.dataSource),
      decisions: new PostgresDecisionStore(database.dataSource, { wake: () => void woken++ }),
    };
  });

  const outbox = async (): Promise<ReversalRequested[]> => {
    const rows: { payload: string }[] = await database.dataSource.query('select payload from outbox order by id');
    return rows.map(({ payload }) => JSON.parse(payload) as ReversalRequested);
  };

  describe('conformance', () => {
    reversalStoresConformance(() => Promise.resolve({ ...stores, outbox }));
  });

  describe('conformance of shards', () => {
    shardStoreConformance(async () => new PostgresShardStore(database.dataSource));
  });

  it('of many concurrent verdicts for one payment one decides, and all get the decision (T-20)', async () => {
    const kinds = ['ACKED_HTTP', 'CLOSED_TIMEOUT', 'ACKED_PULL', 'CLOSED_NON200'] as const;
    for (let transactionId = 1; transactionId <= 50; transactionId++) {
      const outcomes = await Promise.all(
        kinds.map(verdict => stores.decisions.decide([decisionFor({ transactionId, merchantId: 7, verdict })])),
      );
      expect(new Set(outcomes.map(([outcome]) => outcome!.decision)).size).toBe(1);
      expect(outcomes.filter(([outcome]) => outcome!.isNew)).toHaveLength(1);
    }
    const reversed = await database.dataSource.query(`select count(*)::int as n from decision where kind = 'REVERSED'`);
    expect(await outbox()).toHaveLength(reversed[0].n);
  });

  it('regression: marks that move do not deadlock with a replica that takes the shards over', async () => {
    const take = (shard: number) => `update shard set epoch = epoch + 1 where shard = ${shard}`;
    const marks = [2, 1].map(shard => ({ shard, dueAtUs: 1 }));
    await locksInOrder(database, { first: take(1), second: take(2) }, () => stores.jobs.advance(marks));
  });

  it('a scan reads only jobs that are nearly due, however many are pending', async () => {
    const { dataSource } = database;
    await dataSource.query(
      `insert into job (transaction_id, shard, merchant_id, attempt, due_at)
       select n, 1, 7, 1, clock_timestamp() + interval '1 hour' from generate_series(1, 5000) n`,
    );
    const statements: [string, unknown[]][] = [];
    const recording = {
      query: (sql: string, parameters: unknown[]) => (
        statements.push([sql, parameters]),
        Promise.resolve([{ shard: null, due_us: '0' }])
      ),
    };
    const store = new PostgresJobStore(recording as unknown as DataSource);
    await store.scan([{ shard: 1, after: null }], { withinMs: 10_000, max: 100 });
    const [[sql, parameters]] = statements as [[string, unknown[]]];
    const plan: unknown = await dataSource.query(`explain (analyze, timing off, format json) ${sql}`, parameters);
    const removed = [...JSON.stringify(plan).matchAll(/"Rows Removed by Filter":(\d+)/g)].map(([, count]) => Number(count));
    expect(Math.max(0, ...removed)).toBeLessThan(500);
  });

  it('a low-water mark that is ahead of the clock, because the clock was set back, hides nothing (P-I7)', async () => {
    await stores.jobs.arm([{ transactionId: 1, merchantId: 7, attempt: 1 }], 0);
    await database.dataSource.query(`update shard set low_due_at = clock_timestamp() + interval '1 hour'`);
    const { jobs } = await stores.jobs.scan([{ shard: shardOf(1), after: null }], { withinMs: 1_000, max: 10 });
    expect(jobs.map(({ transactionId }) => transactionId)).toEqual([1]);
  });

  it('large batches in opposite orders do not deadlock', async () => {
    const ids = Array.from({ length: 500 }, (_, at) => at + 1);
    const verdicts = ids.map(transactionId => decisionFor({ transactionId, merchantId: 7, verdict: 'CLOSED_CONN' }));
    const jobs = ids.map(transactionId => ({ transactionId, merchantId: 7, attempt: 1 }));
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        stores.jobs.arm(jobs, 0),
        stores.jobs.arm([...jobs].reverse(), 0),
        stores.decisions.decide(verdicts),
        stores.decisions.decide([...verdicts].reverse()),
      ]);
    }
    expect(await outbox()).toHaveLength(500);
  });

  it('first attempts are stored as new jobs until one was there already; then the next batches may hold repeats', async () => {
    const single = await createTestDatabase({ migrations, poolMax: 1 });
    const jobs = new PostgresJobStore(single.dataSource);
    const arm = (attempt: number, ...ids: number[]) =>
      jobs.arm(
        ids.map(transactionId => ({ transactionId, merchantId: 7, attempt })),
        0,
      );
    const runs = () =>
      single.dataSource.query(
        `select name, (generic_plans + custom_plans)::int as runs from pg_prepared_statements where name like 'arm%' order by name`,
      );
    try {
      await arm(1, 1, 2);
      await arm(2, 3);
      expect(await runs()).toEqual([{ name: 'arm-0', runs: 1 }, { name: 'arm-new-0', runs: 1 }]); // prettier-ignore
      // The answer of 1 was lost. The pool opens another connection after a statement that failed.
      await arm(1, 1, 4);
      await arm(1, 5);
      expect(await runs()).toEqual([{ name: 'arm-0', runs: 2 }]);
      expect([...(await jobs.undecided([1, 2, 3, 4, 5])).keys()].sort()).toEqual([1, 2, 3, 4, 5]);
    } finally {
      await single.drop();
    }
  });

  it('wakes the relay for a reversal only', async () => {
    await stores.decisions.decide([decisionFor({ transactionId: 1, merchantId: 7, verdict: 'ACKED_HTTP' })]);
    expect(woken).toBe(0);
    await stores.decisions.decide([decisionFor({ transactionId: 2, merchantId: 7, verdict: 'CLOSED_CONN' })]);
    expect(woken).toBe(1);
  });

  it('no statement changes a decision, and a reversal needs a reason (P-I1)', async () => {
    await stores.decisions.decide([decisionFor({ transactionId: 1, merchantId: 7, verdict: 'ACKED_HTTP' })]);
    const change = `update decision set kind = 'REVERSED', reason = 'TIMEOUT' where transaction_id = 1`;
    await expect(database.dataSource.query(change)).rejects.toThrow('a decision is written once');
    const insert = `insert into decision (transaction_id, merchant_id, kind, verdict) values (2, 7, 'REVERSED', 'CLOSED_CONN')`;
    await expect(database.dataSource.query(insert)).rejects.toThrow(/check constraint/);
  });
});
