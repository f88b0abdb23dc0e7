import type { AckReceived } from '@paycode/dto';
import { shardStoreConformance } from '@paycode/ownership/testing';
import { dispatcherStoresConformance } from './dispatcher-stores.conformance';
import { atOnce, DispatcherTables } from './dispatcher-tables';
import { MemoryDeliveryStore } from './memory-delivery.store';
import { MemoryInformationalStore, MemoryVerdictStore } from './memory-verdict.store';
import { TableShardStore } from './table-shard.store';

describe("the dispatcher's stores in memory", () => {
  dispatcherStoresConformance(async () => {
    let nowMs = 0;
    const tables = new DispatcherTables([0, 1, 2, 3], () => nowMs++);
    return {
      shards: new TableShardStore(tables, atOnce),
      deliveries: new MemoryDeliveryStore(tables, atOnce),
      verdicts: new MemoryVerdictStore(tables, atOnce),
      informational: new MemoryInformationalStore(tables, atOnce),
      outbox: async () => [...tables.outbox.values()].map(({ data }) => data as AckReceived),
      close: async () => undefined,
    };
  });
});

describe("the dispatcher's shards in memory", () => {
  shardStoreConformance(async () => new TableShardStore(new DispatcherTables([0, 1, 2, 3], () => 0), atOnce));
});
