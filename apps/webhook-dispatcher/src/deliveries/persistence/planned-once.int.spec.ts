import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { ownEveryShard } from '@paycode/ownership/testing';
import { migrations } from '../../../migrations';
import { PostgresVerdictStore } from '../../verdicts/persistence/postgres-verdict.store';
import { newDelivery } from '../testing/samples';
import { PostgresDeliveryStore } from './postgres-delivery.store';

/** PostgreSQL plans a prepared statement anew for its first executions, before it compares the kept plan with them. */
const plannedAnew = 5;

describe('the statements that every payment needs', () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await createTestDatabase({ migrations, poolMax: 1 })));
  afterEach(() => database.drop());

  it('keep their plan when payments come one by one', async () => {
    const me = randomUUID();
    await ownEveryShard(database.dataSource, me);
    const deliveries = new PostgresDeliveryStore(database.dataSource);
    const verdicts = new PostgresVerdictStore(database.dataSource, 'webhook-dispatcher');
    const ended = { merchantId: 1001, attempt: 1, elapsedMs: 1, armedAt: null, startedAt: null };
    for (let id = 1; id <= 2 * plannedAnew; id++) {
      await deliveries.insert(me, [{ ...newDelivery(id), epoch: 1 }]);
      await verdicts.acknowledge([{ ...ended, transactionId: id, kind: 'ACKED_HTTP', outcome: 'HTTP 200' }]);
      const closed = { ...ended, transactionId: 1_000 + id, shard: 1, epoch: 1, retryAfterMs: null };
      await verdicts.conclude(me, [{ ...closed, kind: 'CLOSED_NON200', outcome: 'HTTP 500' }]);
    }
    const plans = await database.dataSource.query<{ name: string; kept: string; anew: string }[]>(
      'select name, generic_plans as kept, custom_plans as anew from pg_prepared_statements order by name',
    );
    const once = { kept: String(plannedAnew), anew: String(plannedAnew) };
    expect(plans).toEqual(['delivery-insert', 'verdict-acknowledge', 'verdict-conclude'].map(name => ({ name, ...once })));
  });
});
