import type { AckReceived } from '@paycode/dto';
import { createTestDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../../migrations';
import { PostgresDeliveryStore } from '../persistence/postgres-delivery.store';
import { PostgresInformationalStore } from '../../informational/persistence/postgres-informational.store';
import { PostgresLaneStore } from '../../lanes';
import { PostgresVerdictStore } from '../../verdicts/persistence/postgres-verdict.store';
import { dispatcherStoresConformance } from './dispatcher-stores.conformance';

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
