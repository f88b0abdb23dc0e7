import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { readForScrape, scrapedGauge } from '@paycode/service-runtime/metrics';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { openDataSource } from '../data-source';
import { durabilityWeaknesses } from '../durability';
import type { ReaderRights, ServiceRights } from '../grant-rights';
import { runMigrations } from '../migrate';
import type { ConnectionOptions } from './database-env';

export interface DatabaseOptions extends ConnectionOptions {
  /** In order of application. */
  migrations: DataSourceOptions['migrations'];
  entities?: DataSourceOptions['entities'];
  /** Tables that the role of the service may add to and read, nothing else. */
  insertOnly?: readonly string[];
  /** Another service that reads some columns. */
  reader?: ReaderRights;
  /** Server-side limit per statement, in milliseconds. */
  statementTimeoutMs?: number;
  /** For services in which a lost commit loses money: at start, warns of each setting that is too weak for this environment. */
  mustBeDurableIn?: 'sandbox' | 'production';
}

const OPTIONS = Symbol('DATABASE_OPTIONS');

/** Opens the service's database and brings its schema up to date before anything else starts. */
async function openDatabase(service: string, options: DatabaseOptions): Promise<DataSource> {
  const { url, poolMax, caFile, pendingMigrations, schemaOwnerUrl, migrations, entities, statementTimeoutMs } = options;
  const shared = { poolMax, caFile, migrations, entities, statementTimeoutMs, applicationName: service };
  if (pendingMigrations === 'run' && schemaOwnerUrl)
    await migrateAsOwner(await openDataSource({ ...shared, url: schemaOwnerUrl }), options.reader);
  const dataSource = await openDataSource({ ...shared, url });
  if (pendingMigrations === 'run' && !schemaOwnerUrl) await runMigrations(dataSource, rightsOf(options), options.reader);
  if (pendingMigrations === 'check') await checkMigrations(dataSource);
  return dataSource;
}

/** Undefined: the service is the owner itself. */
export function rightsOf({
  serviceRole,
  insertOnly = [],
}: Pick<DatabaseOptions, 'serviceRole' | 'insertOnly'>): ServiceRights | undefined {
  return serviceRole === null ? undefined : { role: serviceRole, insertOnly };
}

/** A role without rights sees no table of migrations, and the attempt to make one is refused with words that mislead. */
async function checkMigrations(dataSource: DataSource): Promise<void> {
  const [{ isGranted }] = await dataSource.query<[{ isGranted: boolean | null }]>(
    `select has_table_privilege(to_regclass('migrations'), 'select') as "isGranted"`,
  );
  if (isGranted === false)
    throw new Error('the role of DATABASE_URL has no rights on the tables: name it to the migration (DATABASE_SERVICE_ROLE)');
  if (isGranted === null || (await dataSource.showMigrations()))
    throw new Error('migrations are pending and MIGRATIONS is `check`');
}

async function migrateAsOwner(owner: DataSource, reader: ReaderRights | undefined): Promise<void> {
  try {
    await runMigrations(owner, undefined, reader);
  } finally {
    await owner.destroy();
  }
}

/** A database that is lost while nobody calls makes no error by itself. */
function observeDatabase(dataSource: DataSource): void {
  const help = 'Whether the database of this service answered at the scrape: 1, or 0.';
  const answered = () => dataSource.query('select 1').then(() => 1);
  scrapedGauge({ name: 'paycode_persistence_database_answers', help }, async gauge =>
    gauge.set(await readForScrape(answered, 0)),
  );
}

/** A service's own database: `DataSource` is injectable everywhere, readiness asks it, shutdown closes it. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(OPTIONS) private readonly options: DatabaseOptions,
    @Inject(LOGGER) private readonly logger: Logger,
    lifecycle: Lifecycle,
  ) {
    lifecycle.addCheck({ name: 'database', kind: 'ready', check: async () => void (await dataSource.query('select 1')) });
    observeDatabase(dataSource);
  }

  /** `service` is shown in pg_stat_activity. */
  static forRoot(service: string, options: DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: DataSource, useFactory: () => openDatabase(service, options) },
        { provide: OPTIONS, useValue: options },
      ],
      exports: [DataSource],
    };
  }

  async onApplicationBootstrap(): Promise<void> {
    const { mustBeDurableIn } = this.options;
    if (!mustBeDurableIn) return;
    for (const reason of await durabilityWeaknesses(this.dataSource, mustBeDurableIn)) {
      this.logger.warn({ event: 'durability', reason }, 'the database is less durable than settlement needs');
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}
