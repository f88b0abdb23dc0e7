import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import {
  createLogger,
  databaseEnv,
  defineEnv,
  Lifecycle,
  logEnv,
  LOGGER,
  type Logger,
  logLevelOf,
} from '@paycode/service-runtime';
import { readForScrape, scrapedGauge } from '@paycode/service-runtime/metrics';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { openDataSource } from '../data-source';
import { type ReaderRights, runMigrations, type ServiceRights } from '../migrate';
import { type ConnectionOptions, connectionOptionsOf } from './database-env';

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
function rightsOf({
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

/**
 * A former primary, and a server whose disk is nearly full, may answer every read and refuse every write. It counts as lost, and pages, but
 * its service stays ready: what only reads goes on.
 */
async function takesWrites(dataSource: DataSource): Promise<boolean> {
  const [{ isReadOnly }] = await dataSource.query<[{ isReadOnly: boolean }]>(
    `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );
  return !isReadOnly;
}

/** A database that is lost while nobody calls makes no error by itself. */
function observeDatabase(dataSource: DataSource): void {
  const help = 'Whether the database of this service answered at the scrape, and takes writes: 1, or 0.';
  const answered = async () => Number(await takesWrites(dataSource));
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

/** Values of PostgreSQL's settings that decide whether a committed verdict or decision can be lost. */
interface DurabilitySettings {
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  synchronous_standby_names: string;
}

/** Settings that a committed row needs to survive a crash of the process or the host. */
const mustBeOn = ['fsync', 'full_page_writes'] as const;
/** A commit is answered only after the standby has it on disk; the other values acknowledge before. */
const commitsThatWait = new Set(['on', 'remote_apply']);

const settingsSql = `
  select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
         current_setting('synchronous_commit') as synchronous_commit,
         current_setting('synchronous_standby_names') as synchronous_standby_names`;

/**
 * Names each setting of the database that is weaker than settlement needs: an acknowledged payment must never be lost. Only production
 * requires a synchronous standby; without one, a loss of the primary's disk loses committed rows.
 */
export async function durabilityWeaknesses(
  dataSource: Pick<DataSource, 'query'>,
  environment: 'sandbox' | 'production',
): Promise<string[]> {
  const [settings] = await dataSource.query<DurabilitySettings[]>(settingsSql);
  return weaknessesOf(settings!, environment);
}

function weaknessesOf(settings: DurabilitySettings, environment: 'sandbox' | 'production'): string[] {
  const weak = mustBeOn.filter(name => settings[name] !== 'on').map(name => `${name}=${settings[name]}, must be on`);
  if (!commitsThatWait.has(settings.synchronous_commit)) {
    weak.push(`synchronous_commit=${settings.synchronous_commit}, must be on or remote_apply`);
  }
  if (environment === 'production' && settings.synchronous_standby_names === '') {
    weak.push('synchronous_standby_names is empty, must name a synchronous standby');
  }
  return weak;
}

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
