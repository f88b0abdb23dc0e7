import { createLogger, databaseEnv, defineEnv, logEnv, logLevelOf } from '@paycode/service-runtime';
import { openDataSource } from '../data-source';
import { runMigrations } from '../migrate';
import { connectionOptionsOf } from './database-env';
import { type DatabaseOptions, rightsOf } from './database.module';

/** The settings that a migration reads: a Job that migrates gets only these, and one secret. */
const env = defineEnv({ ...logEnv, ...databaseEnv });

export type MigrationOptions = Pick<DatabaseOptions, 'migrations' | 'insertOnly' | 'reader'>;

/**
 * `node main.cjs migrate`: brings the service's own database to the schema of this release and ends; no listener, no consumer. For a platform
 * that migrates once per release with a role of its own and lets the service only check (`MIGRATIONS=check`).
 */
export function migrateDatabase(service: string, options: MigrationOptions) {
  return async (source: Record<string, string | undefined>): Promise<void> => {
    const values = env.read(source);
    const { url, caFile, serviceRole } = connectionOptionsOf(values);
    const logger = createLogger(service, logLevelOf(values));
    const dataSource = await openDataSource({
      url,
      caFile,
      migrations: options.migrations,
      applicationName: service,
      poolMax: 2,
    });
    try {
      const { insertOnly, reader } = options;
      const applied = await runMigrations(dataSource, rightsOf({ serviceRole, insertOnly }), reader);
      logger.info({ event: 'migrated', applied }, 'database has the schema of this release');
    } finally {
      await dataSource.destroy();
    }
  };
}
