import { createHash, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { eventually } from '@paycode/service-runtime/testing';
import { openDataSource } from '../data-source';
import { runMigrations } from '../migrate';

/** Connection timeout. It is long, because a server that is busy with other test files is no failure; services that get the URL wait as long. */
const patienceS = 120;

export interface TestDatabase {
  /** URL of a database of this test file's own. */
  url: string;
  dataSource: DataSource;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Migration classes, applied once to a template that later calls clone. */
  migrations?: (abstract new () => unknown)[];
  /** A copy of this one, as its backup would be. Only its own pool may be connected to it. */
  copyOf?: TestDatabase;
  entities?: DataSourceOptions['entities'];
  poolMax?: number;
}

function serverUrl(): string {
  const url = process.env['PAYCODE_TEST_DATABASE_URL'];
  if (!url)
    throw new Error('PAYCODE_TEST_DATABASE_URL is not set: run the tests through jest, whose global set-up starts PostgreSQL');
  return url;
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  url.searchParams.set('connect_timeout', String(patienceS));
  return url.href;
}

async function onServer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** One that the tests of the describe share: it is there from the first hook, and dropped after them. */
export const testDatabase = (options?: TestDatabaseOptions): TestDatabase => around([beforeAll, afterAll], options);

/** One for each test of the describe. */
export const testDatabaseForEach = (options?: TestDatabaseOptions): TestDatabase => around([beforeEach, afterEach], options);

type Hook = (work: () => Promise<void>) => void;

function around([before, after]: [before: Hook, after: Hook], options?: TestDatabaseOptions): TestDatabase {
  let made: TestDatabase;
  const drop = () => made.drop();
  before(async () => void (made = await createTestDatabase(options)));
  after(drop);
  return {
    get url() {
      return made.url;
    },
    get dataSource() {
      return made.dataSource;
    },
    drop,
  };
}

/** A database cloned from a template that carries `migrations`; the template is made on first use. Cost: some 20 ms per clone. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const migrations = (options.migrations ?? []) as DataSourceOptions['migrations'];
  const template = options.copyOf ? nameOf(options.copyOf) : await templateFor(options.migrations ?? []);
  const name = `t_${randomUUID().replaceAll('-', '')}`;
  await onServer(async client => {
    // One cloner at a time: CREATE DATABASE fails while another session uses the template.
    await client.query('select pg_advisory_lock(1)');
    // A database that is copied has no connection.
    await options.copyOf?.dataSource.destroy();
    await client.query(`create database ${name} template ${template}`);
    await options.copyOf?.dataSource.initialize();
  });
  const dataSource = await openDataSource({
    url: urlOf(name),
    applicationName: name,
    entities: options.entities,
    migrations,
    poolMax: options.poolMax,
    statementTimeoutMs: patienceS * 1_000,
  });
  return {
    url: urlOf(name),
    dataSource,
    drop: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
      // A pool that has ended still closes its sockets, and PostgreSQL waits 5 s for them. Connections of a failed test are then cut off.
      await onServer(async client => {
        await client
          .query(`drop database if exists ${name}`)
          .catch(() => client.query(`drop database if exists ${name} with (force)`));
      });
    },
  };
}

const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

async function templateFor(migrations: (abstract new () => unknown)[]): Promise<string> {
  if (migrations.length === 0) return 'template0';
  const text = migrations.map(migration => migration.name + String(migration)).join('\n');
  const name = `template_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  await onServer(async client => {
    await client.query('select pg_advisory_lock(1)');
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount) return;
    await client.query(`create database ${name}_new`);
    const source = await openDataSource({
      url: urlOf(`${name}_new`),
      applicationName: 'template',
      migrations: migrations as DataSourceOptions['migrations'],
      poolMax: 2,
      statementTimeoutMs: patienceS * 1_000,
    });
    await runMigrations(source);
    await source.destroy();
    await client.query(`alter database ${name}_new rename to ${name}`);
  });
  return name;
}

/**
 * Starts `work` while another transaction holds the row that the statement `first` wrote. Once `work` waits for it, that transaction writes the row of
 * `second`, which `work` writes too. Work that took `second` before `first` deadlocks with it.
 * @throws the deadlock
 */
export async function locksInOrder(
  database: TestDatabase,
  rows: { first: string; second: string },
  work: () => Promise<unknown>,
) {
  const other = database.dataSource.createQueryRunner();
  try {
    await other.startTransaction();
    await other.query(rows.first);
    const working = Promise.allSettled([work()]);
    await eventually(async () => {
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect(await database.dataSource.query(waiting)).toHaveLength(1);
    });
    await other.query(rows.second);
    await other.commitTransaction();
    const [done] = await working;
    if (done.status === 'rejected') throw done.reason;
  } finally {
    if (other.isTransactionActive) await other.rollbackTransaction();
    await other.release();
  }
}
