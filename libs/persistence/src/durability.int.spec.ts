import { createLogger, createServiceApp } from '@paycode/service-runtime';
import { eventually } from '@paycode/service-runtime/testing';
import { register } from 'prom-client';
import { DatabaseModule, durabilityWeaknesses } from './nest/database.module';
import { createTestDatabase, testDatabase } from './testing';

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
  it('says so at the next scrape', async () => {
    const database = await createTestDatabase();
    const options = { poolMax: 2, caFile: null, serviceRole: null, pendingMigrations: 'run' as const, migrations: [] };
    const module = DatabaseModule.forRoot('lonely', { url: database.url, ...options });
    const app = await createServiceApp(module, createLogger('lonely', 'silent'));
    try {
      // A database that answers too late counts as silent.
      await eventually(async () => expect(await register.getSingleMetricAsString(name)).toContain(`${name} 1`));
      await database.drop();
      expect(await register.getSingleMetricAsString(name)).toContain(`${name} 0`);
    } finally {
      await app.close();
    }
  });
});
