import type { CloseAnswer, VerdictKind } from '@paycode/dto';
import type { HeldShard, OwnershipRows, ShardRow } from '@paycode/ownership';
import type {
  DeliveryToInsert,
  InsertedDelivery,
  ShardedCloseItem,
} from '../../../../apps/webhook-dispatcher/src/deliveries/deliveries.ports';
import type { Delivery, Verdict } from '../../../../apps/webhook-dispatcher/src/deliveries/domain/delivery';
import type {
  DispatcherTables,
  StatementExecutor,
  VerdictTableRow,
} from '../../../../apps/webhook-dispatcher/src/deliveries/testing/dispatcher-tables';
import { MemoryDeliveryStore } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/memory-delivery.store';
import { MemoryPartitionRanges } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/memory-partition-ranges';
import {
  MemoryInformationalStore,
  MemoryPauses,
  MemoryVerdictStore,
} from '../../../../apps/webhook-dispatcher/src/deliveries/testing/memory-verdict.store';
import { TableShardStore } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/table-shard.store';
import type { OwnedVerdict } from '../../../../apps/webhook-dispatcher/src/verdicts/verdict.store';
import type { Mutation } from './swarm.ts';

// Stores without a guard, to show that the simulation notices its absence.

const closed = { kind: 'CLOSED_NEVER_SENT', attempt: null, startedAtMs: null } as const;

/** NO_OWNER: close on time alone. */
class ClosingAnythingStore extends MemoryDeliveryStore {
  override async close(items: readonly ShardedCloseItem[]): Promise<CloseAnswer[]> {
    await this.execute(() => {
      for (const item of items) {
        if (!this.tables.deliveries.has(item.transactionId)) this.closeUnknown(item);
        else this.tables.insertVerdict(item.transactionId, closed);
      }
    });
    return this.execute(() => this.answers(items));
  }
}

/** SKEW: closes a delivery that did not exist a statement ago, even if it was inserted meanwhile. */
class SkewedStore extends MemoryDeliveryStore {
  override async close(items: readonly ShardedCloseItem[]): Promise<CloseAnswer[]> {
    const missing = await this.execute(() => items.filter(({ transactionId }) => !this.tables.deliveries.has(transactionId)));
    await this.execute(() => {
      for (const item of missing) {
        if (!this.tables.deliveries.has(item.transactionId)) this.closeUnknown(item);
        else this.tables.insertVerdict(item.transactionId, closed);
      }
    });
    return this.execute(() => this.answers(items));
  }
}

/** NO_DEDUP: a duplicate starts the delivery again. */
class ReopeningStore extends MemoryDeliveryStore {
  override insert(replica: string, deliveries: readonly DeliveryToInsert[]): Promise<InsertedDelivery[]> {
    return this.execute(() =>
      deliveries.flatMap(delivery => {
        const { transactionId } = delivery;
        this.tables.verdicts.delete(transactionId);
        this.tables.attempts.delete(transactionId);
        const epoch = this.tables.holds(replica, delivery) ? delivery.epoch : 0;
        const seq = ++this.tables.lastSeq;
        this.tables.insertDelivery({ ...delivery, epoch, seq, isStub: false, receivedAtMs: this.tables.nowMs() });
        return [{ transactionId, seq, epoch }];
      }),
    );
  }
}

/** NO_CLAIM: an attempt may start whoever claimed it. */
class UnclaimingStore extends MemoryDeliveryStore {
  override async claimAttempts(replica: string, deliveries: readonly Delivery[]): Promise<number[]> {
    await super.claimAttempts(replica, deliveries);
    return deliveries.map(({ transactionId }) => transactionId);
  }
}

/** NO_EPOCH: no fence. */
class UnfencedVerdictStore extends MemoryVerdictStore {
  protected override mayConclude(): boolean {
    return true;
  }
}

/** NO_CAS: writes a verdict that was absent a statement ago, even if it exists now. */
class OverwritingVerdictStore extends MemoryVerdictStore {
  override async acknowledge(all: readonly Verdict[]): Promise<(VerdictKind | null)[]> {
    const open = await this.openOf(all);
    return this.execute(() =>
      all.map(verdict => {
        if (open.has(verdict.transactionId)) this.writeAck(verdict);
        return this.tables.verdicts.get(verdict.transactionId)?.kind ?? null;
      }),
    );
  }

  override async conclude(replica: string, verdicts: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]> {
    const open = await this.openOf(verdicts);
    return this.execute(() =>
      verdicts.map(verdict => {
        if (open.has(verdict.transactionId) && this.mayConclude(replica, verdict)) this.writeConclusion(verdict);
        return this.tables.verdicts.get(verdict.transactionId)?.kind ?? null;
      }),
    );
  }

  protected override write(transactionId: number, row: VerdictTableRow): boolean {
    this.tables.writeVerdict(transactionId, row);
    return true;
  }

  private openOf(verdicts: readonly Verdict[]): Promise<Set<number>> {
    return this.execute(() => new Set(verdicts.map(({ transactionId }) => transactionId).filter(id => this.tables.isOpen(id))));
  }
}

/** LOCKS_AFTER_OUTAGE: every look counts as one of the same session. */
class OneSessionStore extends TableShardStore {
  override async heartbeat(replica: string): Promise<OwnershipRows> {
    return { ...(await super.heartbeat(replica)), session: 1 };
  }
}

/** NO_SESSION_FENCE: the process does not ask whether its session ended. */
class DeafStore extends TableShardStore {
  override get sessionsEnded(): number {
    return 0;
  }
}

/** NO_RETAKE: only shards that were given up are taken. */
class NeverRetakingStore extends TableShardStore {
  override take(replica: string, seen: readonly ShardRow[]): Promise<HeldShard[]> {
    return super.take(
      replica,
      seen.filter(({ owner }) => owner === null),
    );
  }
}

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
    ranges: new MemoryPartitionRanges(tables, execute),
    verdicts: new Verdicts(tables, execute),
    informational: new MemoryInformationalStore(tables, execute),
    pauses: new MemoryPauses(tables, execute),
  };
}
