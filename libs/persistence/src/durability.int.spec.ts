import { createLogger, createServiceApp, Lifecycle } from '@paycode/service-runtime';
import { eventually } from '@paycode/service-runtime/testing';
import { register } from 'prom-client';
import { DatabaseModule, durabilityWeaknesses } from './nest/database.module';
import { createTestDatabase, testDatabase, type TestDatabase } from './testing';

describe('durability of the database', () => {
  const database = testDatabase({ poolMax: 1 });

  it('names every setting of this test server that could lose a committed verdict', async () => {
    const weaknesses = await durabilityWeaknesses(database.dataSource, 'production');
    expect(weaknesses).toEqual([
      'fsync=off, must be on',
      'full_page_writes=off, must be on',
      'synchronous_commit=off, must be on or remote_apply',
      'synchronous_standby_names is empty, must name a synchronous standby',
    ]);
  });

  it('asks for a standby in production only', async () => {
    expect((await durabilityWeaknesses(database.dataSource, 'sandbox')).join()).not.toContain('standby');
  });

  it('accepts the defaults of PostgreSQL with a synchronous standby', async () => {
    const query = async () => [
      { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', synchronous_standby_names: 'ANY 1 (*)' },
    ];
    expect(await durabilityWeaknesses({ query } as never, 'production')).toEqual([]);
  });

  it('reports commits that are answered before the standby has them as weak', async () => {
    const query = async () => [
      { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'local', synchronous_standby_names: '*' },
    ];
    expect(await durabilityWeaknesses({ query } as never, 'production')).toEqual([
      'synchronous_commit=local, must be on or remote_apply',
    ]);
  });
});

const name = 'paycode_persistence_database_answers';

describe('a service whose database is lost while nobody calls', () => {
  let database: TestDatabase;
  let app: Awaited<ReturnType<typeof createServiceApp>>;
  beforeEach(async () => {
    database = await createTestDatabase();
    const options = { poolMax: 2, caFile: null, serviceRole: null, pendingMigrations: 'run' as const, migrations: [] };
    app = await createServiceApp(
      DatabaseModule.forRoot('lonely', { url: database.url, ...options }),
      createLogger('lonely', 'silent'),
    );
  });
  afterEach(async () => {
    await app.close();
    await database.drop();
  });

  const ready = () => app.get(Lifecycle).report('ready');
  // A database that answers too late counts as silent.
  const saysOf = (value: number) =>
    eventually(async () => expect(await register.getSingleMetricAsString(name)).toContain(`${name} ${value}`));

  it('says so at the next scrape', async () => {
    await saysOf(1);
    await database.drop();
    expect(await register.getSingleMetricAsString(name)).toContain(`${name} 0`);
  });

  it('regression: counts a database that answers and takes no writes as lost, and stays ready for reads', async () => {
    await saysOf(1);
    const set = (value: string) =>
      database.dataSource.query(`
        alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = ${value};
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);
    await set('on');
    // Until the pool has replaced both connections that ended, a question may fail.
    const isReady = { status: 'ok', checks: { database: 'ok' } };
    await eventually(async () => expect(await Promise.all([ready(), ready()])).toEqual([isReady, isReady]));
    await saysOf(0);
    await set('off');
    await saysOf(1);
  });
});
