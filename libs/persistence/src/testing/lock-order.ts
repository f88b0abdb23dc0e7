import { eventually } from '@paycode/service-runtime/testing';
import type { TestDatabase } from './test-database';

/**
 * Starts `work` while another transaction holds the row that the statement `first` wrote. Once `work` waits for it, that transaction writes the row of
 * `second`, which `work` writes too. Work that took `second` before `first` deadlocks with it.
 * @throws the deadlock
 */
export async function locksInOrder(
  database: TestDatabase,
  rows: { first: string; second: string },
  work: () => Promise<unknown>,
) {
  const other = database.dataSource.createQueryRunner();
  try {
    await other.startTransaction();
    await other.query(rows.first);
    const working = Promise.allSettled([work()]);
    await eventually(async () => {
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect(await database.dataSource.query(waiting)).toHaveLength(1);
    });
    await other.query(rows.second);
    await other.commitTransaction();
    const [done] = await working;
    if (done.status === 'rejected') throw done.reason;
  } finally {
    if (other.isTransactionActive) await other.rollbackTransaction();
    await other.release();
  }
}
