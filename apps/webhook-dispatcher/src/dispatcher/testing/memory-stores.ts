import { DispatcherTables } from '../../deliveries/testing/dispatcher-tables';
import { MemoryDeliveryStore } from '../../deliveries/testing/memory-delivery.store';
import { MemoryInformationalStore } from '../../deliveries/testing/memory-informational.store';
import { TableShardStore } from '../../deliveries/testing/table-shard.store';
import { MemoryVerdictStore } from '../../deliveries/testing/memory-verdict.store';
import { atOnce } from '../../deliveries/testing/statement-executor';
import { MemoryPauses } from '../../pausing/testing/memory-pauses';
import { allShards } from '@paycode/ownership';
import type { DispatcherStores } from './replica';

/** Tables of every shard, for replicas that share them. `nowMs`: the database's clock. */
export function memoryTables(nowMs: () => number = () => 0): DispatcherTables {
  return new DispatcherTables(allShards(), nowMs);
}

/** The stores of one replica on tables in memory; they do what the PostgreSQL ones do (`dispatcher-stores.conformance.ts`). */
export function memoryStores(tables: DispatcherTables): DispatcherStores {
  return {
    shards: new TableShardStore(tables, atOnce),
    deliveries: new MemoryDeliveryStore(tables, atOnce),
    verdicts: new MemoryVerdictStore(tables, atOnce),
    informational: new MemoryInformationalStore(tables, atOnce),
    pauses: new MemoryPauses(tables, atOnce),
  };
}
