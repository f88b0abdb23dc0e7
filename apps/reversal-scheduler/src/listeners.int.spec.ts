import { TestTokenKeys } from '@paycode/access/testing';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { type RunningService, startService } from '@paycode/service-runtime';
import { describeListeners } from '@paycode/service-runtime/testing';
import { schedulerDefinition } from './scheduler.definition';

describe('listeners of reversal-scheduler', () => {
  let databases: TestDatabase[];
  let service: RunningService;
  beforeAll(async () => {
    databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
    service = await startService(schedulerDefinition, {
      INTERNAL_PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: databases[0]!.url,
      EVENTS_DATABASE_URL: databases[1]!.url,
      ...new TestTokenKeys().env('reversal-scheduler'),
      WEBHOOK_DISPATCHER_URL: 'http://127.0.0.1:1',
    });
  });
  afterAll(async () => {
    await service.stop('test');
    await Promise.all(databases.map(database => database.drop()));
  });

  describeListeners(() => service);
});
