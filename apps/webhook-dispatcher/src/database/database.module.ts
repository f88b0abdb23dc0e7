import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { durabilityWeaknesses, openDataSource, runMigrations } from '@paycode/persistence';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { DataSource } from 'typeorm';
import { migrations } from '../../migrations';

export interface DatabaseSettings {
  url: string;
  poolMax: number;
  migrations: 'run' | 'check';
  environment: 'sandbox' | 'production';
}

const ENVIRONMENT = Symbol('ENVIRONMENT');

/** Opens the service's database and brings its schema up to date before anything else starts. */
async function openDatabase({ url, poolMax, migrations: mode }: DatabaseSettings): Promise<DataSource> {
  const dataSource = await openDataSource({ url, poolMax, applicationName: 'webhook-dispatcher', migrations });
  if (mode === 'run') await runMigrations(dataSource);
  else if (await dataSource.showMigrations()) throw new Error('migrations are pending and MIGRATIONS is `check`');
  return dataSource;
}

@Global()
@Module({})
export class DatabaseModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: DatabaseSettings['environment'],
    @Inject(LOGGER) private readonly logger: Logger,
    lifecycle: Lifecycle,
  ) {
    lifecycle.addCheck({ name: 'database', kind: 'ready', check: async () => void (await dataSource.query('select 1')) });
  }

  static forUrl(settings: DatabaseSettings): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: DataSource, useFactory: () => openDatabase(settings) },
        { provide: ENVIRONMENT, useValue: settings.environment },
      ],
      exports: [DataSource],
    };
  }

  /** A verdict that was answered must never be lost: says what in the database could lose it. */
  async onApplicationBootstrap(): Promise<void> {
    for (const reason of await durabilityWeaknesses(this.dataSource, this.environment)) {
      this.logger.warn({ event: 'durability', reason }, 'the database is less durable than settlement needs');
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}
