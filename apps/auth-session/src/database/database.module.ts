import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { openDataSource, runMigrations } from '@paycode/persistence';
import { Lifecycle } from '@paycode/service-runtime';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { UnavailableInterceptor } from './unavailable.interceptor';
import { migrations } from '../../migrations';

export interface DatabaseSettings {
  url: string;
  poolMax: number;
  migrations: 'run' | 'check';
  /** Entities of all capabilities. */
  entities: DataSourceOptions['entities'];
}

/** Opens the service's database and brings its schema up to date before anything else starts. */
async function openDatabase(settings: DatabaseSettings): Promise<DataSource> {
  const { url, poolMax } = settings;
  const dataSource = await openDataSource({
    url,
    poolMax,
    applicationName: 'auth-session',
    entities: settings.entities,
    migrations,
    // A request that cannot be decided soon is refused: authorize must not pile up behind a slow database.
    statementTimeoutMs: 5_000,
  });
  if (settings.migrations === 'run') await runMigrations(dataSource);
  else if (await dataSource.showMigrations()) throw new Error('migrations are pending and MIGRATIONS is `check`');
  return dataSource;
}

@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    lifecycle: Lifecycle,
  ) {
    lifecycle.addCheck({ name: 'database', kind: 'ready', check: async () => void (await dataSource.query('select 1')) });
  }

  static forUrl(settings: DatabaseSettings): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: DataSource, useFactory: () => openDatabase(settings) },
        { provide: APP_INTERCEPTOR, useClass: UnavailableInterceptor },
      ],
      exports: [DataSource],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}
