import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';

export interface PreparedQuery {
  /** Name of the statement in PostgreSQL: planned once per connection instead of once per request. */
  name: string;
  text: string;
}

/**
 * Runs a query of the hot path on the data source's own pool, as a prepared statement; TypeORM has no way to name one.
 *
 * For inserts, and for reads of tables that stay small or grow slowly. The plan is kept until the table is analyzed: one that was made when a
 * table was nearly empty reads all of it, and at a thousand rows a second that is tens of thousands of rows before it is made anew.
 * @throws when the data source is not open
 */
export async function preparedQuery<R extends object>(
  dataSource: DataSource,
  query: PreparedQuery,
  values: unknown[],
): Promise<R[]> {
  return (await poolOf(dataSource).query<R>({ ...query, values })).rows;
}

/** The one door to what lies beneath TypeORM. Its PostgreSQL driver keeps the pool as `master`, and has it while it is open. */
function poolOf({ driver }: DataSource): Pool {
  const pool: unknown = 'master' in driver ? driver.master : undefined;
  if (isPool(pool)) return pool;
  throw new Error('the data source has no open pool of PostgreSQL connections');
}

/** By its shape: in a bundle the driver has a copy of `pg` of its own. */
function isPool(found: unknown): found is Pool {
  return typeof found === 'object' && found !== null && 'query' in found && 'connect' in found && 'totalCount' in found;
}
