import type { AckReceived } from '@paycode/dto';
import { PostgresShardStore } from '@paycode/ownership';
import { shardStoreConformance } from '@paycode/ownership/testing';
import { outboxEventsSql } from '@paycode/events/testing';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import { migrations } from '../../../migrations';
import { PostgresInformationalStore } from '../../informational/informational.store';
import { PostgresVerdictStore } from '../../verdicts/verdict.store';
import { PostgresDeliveryStore } from '../persistence/postgres-delivery.store';
import { dispatcherStoresConformance } from './dispatcher-stores.conformance';
import { plainTokens } from './samples';

describe("the dispatcher's stores in PostgreSQL", () => {
  dispatcherStoresConformance(async () => {
    const database = await createTestDatabase({ migrations });
    const { dataSource } = database;
    return {
      shards: new PostgresShardStore(dataSource),
      deliveries: new PostgresDeliveryStore(dataSource),
      verdicts: new PostgresVerdictStore(dataSource, { source: 'conformance', tokens: plainTokens }),
      informational: new PostgresInformationalStore(dataSource),
      outbox: async () => {
        const rows = await dataSource.query<{ payload: string }[]>(outboxEventsSql);
        return rows.map(({ payload }) => JSON.parse(payload) as AckReceived);
      },
      close: () => database.drop(),
    };
  });
});

describe("the dispatcher's shards in PostgreSQL", () => {
  let database: TestDatabase;
  afterEach(() => database.drop());

  shardStoreConformance(async () => {
    database = await createTestDatabase({ migrations });
    return new PostgresShardStore(database.dataSource);
  });
});
