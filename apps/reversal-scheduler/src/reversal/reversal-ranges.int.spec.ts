import { IdRangeStore, RetainRanges } from '@paycode/persistence/retention';
import { testDatabaseForEach } from '@paycode/persistence/testing';
import { migrations } from '../../migrations';
import { decisionFor } from './domain/decision';
import { PostgresDecisionStore } from './postgres-decision.store';
import { PostgresJobStore } from './postgres-job.store';
import { reversalRanges } from './reversal-ranges';

const day = 86_400_000;

/** proves: T-16 */
describe('retention of jobs and decisions in PostgreSQL', () => {
  const database = testDatabaseForEach({ migrations });
  let ranges: IdRangeStore;
  let jobs: PostgresJobStore;
  let decisions: PostgresDecisionStore;

  beforeEach(async () => {
    ranges = new IdRangeStore(database.dataSource, reversalRanges);
    jobs = new PostgresJobStore(database.dataSource);
    decisions = new PostgresDecisionStore(database.dataSource, { wake: () => undefined });
  });

  const arm = (...ids: number[]) =>
    jobs.arm(
      ids.map(transactionId => ({ transactionId, merchantId: 7, attempt: 1 })),
      60_000,
    );
  const decide = (...ids: number[]) =>
    decisions.decide(ids.map(transactionId => decisionFor({ transactionId, merchantId: 7, verdict: 'CLOSED_NON200' })));
  const stateOf = async (...ids: number[]) => Promise.all(ids.map(async id => (await jobs.stateOf(id))?.state));
  /** As if everything had happened so many days ago. */
  const age = async (days: number) => {
    await database.dataSource.query(`
      update job set armed_at = armed_at - interval '${days} days', due_at = due_at - interval '${days} days';
      alter table decision disable trigger decision_is_written_once;
      update decision set at = at - interval '${days} days';
      alter table decision enable trigger decision_is_written_once`);
  };
  const retain = (days: number) => new RetainRanges(ranges, days * day).run();

  it('deletes what was decided before the retention, whatever its id, and no open job however old it is (P-I7)', async () => {
    await arm(1, 2, 3);
    await decide(1, 2);
    await age(401);
    await arm(4);
    await decide(4);
    expect(await retain(400)).toMatchObject({ strays: 2 });
    expect(await stateOf(1, 2, 3, 4)).toEqual([undefined, undefined, 'ARMED', 'REVERSED']);
  });

  it('drops a range when its ids are old and decided, and keeps one with an open job (P-I7)', async () => {
    await ranges.open({ lower: 100, upper: 200 });
    await ranges.open({ lower: 200, upper: 300 });
    await arm(100, 200, 201);
    await decide(100, 200);
    await database.dataSource.query(`update id_range set passed_at = clock_timestamp() - interval '402 days'`);
    expect(await retain(400)).toMatchObject({ dropped: [1], kept: [2] });
    expect(await stateOf(100, 200, 201)).toEqual([undefined, 'REVERSED', 'ARMED']);
  });

  it('opens a range ahead of the ids, in which jobs are armed and decided as before', async () => {
    const ids = Array.from({ length: 400 }, (_, at) => 5_000 + at);
    await arm(...ids);
    await database.dataSource.query(
      `update job set armed_at = clock_timestamp() - (5400 - transaction_id) * interval '1 minute'`,
    );
    expect((await retain(400)).hasOpened).toBe(true);
    const { lower } = (await ranges.ranges())[0]!;
    expect((await arm(lower)).decided.size).toBe(0);
    await decide(lower);
    expect((await arm(lower)).decided).toEqual(new Map([[lower, 'REVERSED']]));
    await expect(database.dataSource.query(`update decision_1 set verdict = 'ACKED_HTTP'`)).rejects.toThrow('written once');
  });

  it('finds old jobs by their index, and reads no other', async () => {
    await database.dataSource.query(
      `insert into job (transaction_id, shard, merchant_id, attempt, due_at)
       select n, 1, 7, 1, clock_timestamp() from generate_series(1, 20000) n`,
    );
    await database.dataSource.query('analyze job');
    const plan = JSON.stringify(
      await database.dataSource.query(`explain (analyze, timing off, format json) ${reversalRanges.deleteStrays}`, [
        400 * day,
        10_000,
      ]),
    );
    expect(plan).toMatch(/"Index Cond":"[^"]*due_at < /);
  });
});
