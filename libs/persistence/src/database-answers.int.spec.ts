import { createLogger, createServiceApp } from '@paycode/service-runtime';
import { eventually } from '@paycode/service-runtime/testing';
import { register } from 'prom-client';
import { DatabaseModule } from './nest/database.module';
import { createTestDatabase } from './testing';

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
