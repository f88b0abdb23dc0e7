import { DataSource, type DataSourceOptions } from 'typeorm';
import { connectTimeoutMsOf } from './connect-timeout';

export interface ServiceDatabaseOptions {
  /** `postgres://user:password@host:port/database`; `?connect_timeout=` as in `connectTimeoutMsOf`. */
  url: string;
  /** Shown in pg_stat_activity: the service's name. */
  applicationName: string;
  entities?: DataSourceOptions['entities'];
  migrations?: DataSourceOptions['migrations'];
  /** Upper bound of pooled connections. */
  poolMax?: number;
  /** Server-side limit per statement, in milliseconds. */
  statementTimeoutMs?: number;
}

/** TypeORM options of a service database: no schema sync, migrations as classes, bounded pool and statements. */
export function dataSourceOptions(options: ServiceDatabaseOptions): DataSourceOptions {
  return {
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName,
    entities: options.entities ?? [],
    migrations: options.migrations ?? [],
    migrationsTransactionMode: 'each',
    synchronize: false,
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    poolSize: options.poolMax ?? 10,
    extra: {
      statement_timeout: options.statementTimeoutMs ?? 30_000,
      connectionTimeoutMillis: connectTimeoutMsOf(options.url),
      idleTimeoutMillis: 30_000,
      keepAlive: true,
    },
  };
}

/** Opens the pool. Throws when the database cannot be reached. */
export async function openDataSource(options: ServiceDatabaseOptions): Promise<DataSource> {
  return new DataSource(dataSourceOptions(options)).initialize();
}
