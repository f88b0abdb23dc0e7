import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { poolOf } from './pool-of';

/**
 * Lends one connection of the data source's pool to `work`, which sends `begin` and `commit` itself, so that several statements without
 * parameters share a round trip. When `work` throws, its transaction is rolled back; a connection that cannot do that is closed.
 * @throws when the data source is not open, and what `work` throws
 */
export async function withConnection<T>(dataSource: DataSource, work: (connection: PoolClient) => Promise<T>): Promise<T> {
  const connection = await poolOf(dataSource).connect();
  connection.on('error', nextStatementFails);
  let broken: Error | undefined;
  try {
    return await work(connection);
  } catch (error) {
    await connection.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    connection.off('error', nextStatementFails);
    connection.release(broken);
  }
}

/** A connection that is lost between two statements tells it here, too; without a listener that would end the process. */
function nextStatementFails(): void {
  // The next statement rejects with the same cause.
}
