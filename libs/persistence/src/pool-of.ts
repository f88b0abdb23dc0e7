import type { Pool } from 'pg';
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
