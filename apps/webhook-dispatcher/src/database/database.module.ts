import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { openDataSource, runMigrations } from '@paycode/persistence';
import { Lifecycle } from '@paycode/service-runtime';
import { DataSource } from 'typeorm';
import { migrations } from '../../migrations';

export interface DatabaseSettings {
  url: string;
  poolMax: number;
  migrations: 'run' | 'check';
}

/** Opens the service's database and brings its schema up to date before anything else starts. */
async function openDatabase({ url, poolMax, migrations: mode }: DatabaseSettings): Promise<DataSource> {
  const dataSource = await openDataSource({ url, poolMax, applicationName: 'webhook-dispatcher', migrations });
  if (mode === 'run') await runMigrations(dataSource);
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
      providers: [{ provide: DataSource, useFactory: () => openDatabase(settings) }],
      exports: [DataSource],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}
