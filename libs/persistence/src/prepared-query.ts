import type { DataSource } from 'typeorm';
import { poolOf } from './pool-of';

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
