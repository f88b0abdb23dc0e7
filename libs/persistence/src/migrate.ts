import type { DataSource } from 'typeorm';
import { grantReading, grantRights, type ReaderRights, type ServiceRights } from './grant-rights';

/**
 * Key of the advisory lock that lets one replica migrate while the others wait. An arbitrary constant; each service has its own database.
 */
const migrationLock = 7_240_926;

/** Applies pending migrations once, whatever number of replicas start together; then gives the service's role its rights, if it is not the owner, and a reader's. */
export async function runMigrations(dataSource: DataSource, rights?: ServiceRights, reader?: ReaderRights): Promise<string[]> {
  const holder = dataSource.createQueryRunner();
  await holder.connect();
  try {
    await holder.query('select pg_advisory_lock($1)', [migrationLock]);
    const applied = await dataSource.runMigrations();
    if (rights) await grantRights(dataSource, rights);
    if (reader) await grantReading(dataSource, reader);
    return applied.map(migration => migration.name);
  } finally {
    // A connection that ended has no lock, and its error is the one to show.
    await holder.query('select pg_advisory_unlock($1)', [migrationLock]).catch(() => undefined);
    await holder.release();
  }
}
