import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';

/** The only access to the pool below TypeORM. TypeORM's PostgreSQL driver has the pool in `master` while it is open. */
export function poolOf({ driver }: DataSource): Pool {
  const pool: unknown = 'master' in driver ? driver.master : undefined;
  if (isPool(pool)) return pool;
  throw new Error('the data source has no open pool of PostgreSQL connections');
}

/** Checks the shape, not the class, because in a bundle the driver has its own copy of `pg`. */
function isPool(found: unknown): found is Pool {
  return typeof found === 'object' && found !== null && 'query' in found && 'connect' in found && 'totalCount' in found;
}

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

/** Rows that a plan may read whole without harm. */
const fewRows = 1_000;

export interface PreparedQuery {
  /** Name of the statement in PostgreSQL: planned once per connection instead of once per request. */
  name: string;
  text: string;
}

/**
 * Runs a query of the hot path on the data source's own pool, as a prepared statement; TypeORM has no way to name one.
 *
 * Use it for inserts, and for reads of tables that stay small or grow slowly. PostgreSQL keeps the plan until the table is analyzed. A plan
 * made for a nearly empty table reads the whole table, and at a thousand rows a second the table has tens of thousands of rows before the
 * next plan.
 * @throws when the data source is not open
 */
export async function preparedQuery<R extends object>(
  dataSource: DataSource,
  query: PreparedQuery,
  values: unknown[],
): Promise<R[]> {
  return (await poolOf(dataSource).query<R>({ ...query, values })).rows;
}

/**
 * The query under a name that changes whenever a table that it reads may have doubled, so that PostgreSQL plans it again for the table as
 * it is then. `rows`: how many this process has added so far.
 */
export function replannedAsItGrows(query: PreparedQuery, rows: number): PreparedQuery {
  return { ...query, name: `${query.name}-${Math.floor(Math.log2(1 + rows / fewRows))}` };
}
