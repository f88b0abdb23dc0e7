import type { Mutation } from '../world/mutations.ts';
import {
  ClosingAnythingStore,
  DeafStore,
  NeverRetakingStore,
  OneSessionStore,
  OverwritingVerdictStore,
  ReopeningStore,
  SkewedStore,
  UnclaimingStore,
  UnfencedVerdictStore,
} from './broken-stores.ts';
import type {
  DispatcherTables,
  StatementExecutor,
} from '../../../../apps/webhook-dispatcher/src/deliveries/testing/dispatcher-tables';
import { MemoryDeliveryStore } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/memory-delivery.store';
import {
  MemoryInformationalStore,
  MemoryPauses,
  MemoryVerdictStore,
} from '../../../../apps/webhook-dispatcher/src/deliveries/testing/memory-verdict.store';
import { TableShardStore } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/table-shard.store';

const brokenDeliveries = {
  NO_OWNER: ClosingAnythingStore,
  SKEW: SkewedStore,
  NO_DEDUP: ReopeningStore,
  NO_CLAIM: UnclaimingStore,
};
const brokenShards = { NO_RETAKE: NeverRetakingStore, LOCKS_AFTER_OUTAGE: OneSessionStore, NO_SESSION_FENCE: DeafStore };
const brokenVerdicts = { NO_EPOCH: UnfencedVerdictStore, NO_CAS: OverwritingVerdictStore };

/** The stores of one dispatcher on the shared tables; a mutation takes one guard out. */
export function storesFor(tables: DispatcherTables, execute: StatementExecutor, mutation: Mutation | undefined) {
  const Deliveries = brokenDeliveries[mutation as keyof typeof brokenDeliveries] ?? MemoryDeliveryStore;
  const Verdicts = brokenVerdicts[mutation as keyof typeof brokenVerdicts] ?? MemoryVerdictStore;
  const Shards = brokenShards[mutation as keyof typeof brokenShards] ?? TableShardStore;
  return {
    shards: new Shards(tables, execute),
    deliveries: new Deliveries(tables, execute),
    verdicts: new Verdicts(tables, execute),
    informational: new MemoryInformationalStore(tables, execute),
    pauses: new MemoryPauses(tables, execute),
  };
}
