import type { AckReceived } from '@paycode/dto';
import { createTestDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../../../apps/webhook-dispatcher/migrations';
import { PostgresDeliveryStore } from '../../../../apps/webhook-dispatcher/src/deliveries/persistence/postgres-delivery.store';
import { PostgresInformationalStore } from '../../../../apps/webhook-dispatcher/src/informational/persistence/postgres-informational.store';
import { PostgresLaneStore } from '../../../../apps/webhook-dispatcher/src/lanes';
import { PostgresVerdictStore } from '../../../../apps/webhook-dispatcher/src/verdicts/persistence/postgres-verdict.store';
import { dispatcherStoresConformance } from './dispatcher-stores.conformance.ts';

describe("the dispatcher's stores in PostgreSQL", () => {
  dispatcherStoresConformance(async () => {
    const database = await createTestDatabase({ migrations });
    const { dataSource } = database;
    return {
      lanes: new PostgresLaneStore(dataSource),
      deliveries: new PostgresDeliveryStore(dataSource),
      verdicts: new PostgresVerdictStore(dataSource, 'conformance'),
      informational: new PostgresInformationalStore(dataSource),
      outbox: async () => {
        const rows = await dataSource.query<{ payload: string }[]>('select payload from outbox order by id');
        return rows.map(({ payload }) => JSON.parse(payload) as AckReceived);
      },
      close: () => database.drop(),
    };
  });
});
