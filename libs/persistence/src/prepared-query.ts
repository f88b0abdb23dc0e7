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
 */
export async function preparedQuery<R extends object>(
  dataSource: DataSource,
  query: PreparedQuery,
  values: unknown[],
): Promise<R[]> {
  const { master } = dataSource.driver as unknown as { master: Pool };
  return (await master.query<R>({ ...query, values })).rows;
}
