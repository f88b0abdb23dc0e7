import { storedVersion, type TransactionTerminal } from '@paycode/dto';
import { FlushQueue, type FlushPauses } from '@paycode/persistence';
import type { Clock } from '@paycode/service-runtime/timing';
import { shardOf, type OwnedShards } from '@paycode/ownership';
import type {
  DeliveryMetrics,
  DeliveryStore,
  DeliveryToInsert,
  InsertedDelivery,
  KnownDelivery,
} from '../deliveries/deliveries.ports';
import { type Delivery, deliveryFromEvent, type NewDelivery } from '../deliveries/domain/delivery';
import type { Admission, DeliveryQueue } from '../queueing/delivery-queue';
import type { RouteCache } from '../routes/route-cache';

export interface RecordParts {
  store: DeliveryStore;
  shards: OwnedShards;
  queue: DeliveryQueue;
  /** Reads the routes of new merchants, so that their deliveries have a queue. */
  routes: Pick<RouteCache, 'learn' | 'lastVersion'>;
  clock: Clock;
  flushing: FlushPauses;
}

/** A delivery to be stored, where it goes after that, and the epoch of its shard if this replica owns it. */
type Row = DeliveryToInsert & { admission: Admission; heldEpoch: number | undefined };

/** How the insert claimed it. Version: absent unless the row was stored before. */
type Claim = Pick<InsertedDelivery, 'epoch'> & Partial<Pick<KnownDelivery, 'version'>>;

const batchMax = { flushMax: 1_000, queueMax: 100_000 };

/**
 * Flow: events of a batch -> durable, each transaction once -> queue of its endpoint. Resolves after the commit, so that the offset moves
 * only then (P-1.2-1). The 45 seconds have not begun here.
 */
export class RecordDeliveries {
  private readonly inserts: FlushQueue<NewDelivery, Delivery | undefined>;

  constructor(
    private readonly parts: RecordParts,
    private readonly metrics: DeliveryMetrics,
  ) {
    this.inserts = new FlushQueue(deliveries => this.insert(deliveries), { ...batchMax, ...parts.flushing });
  }

  /** Rejects when it cannot know that the batch is durable: the batch must come again. */
  async record(events: readonly TransactionTerminal[]): Promise<void> {
    await this.parts.routes.learn(events.map(event => event.merchantId));
    const accepted = await this.inserts.run(events.map(newDelivery));
    this.parts.queue.accept(accepted.filter(delivery => delivery !== undefined));
  }

  private async insert(deliveries: readonly NewDelivery[]): Promise<(Delivery | undefined)[]> {
    const { store, shards, queue, clock } = this.parts;
    const heldBefore = new Set(deliveries.map(({ transactionId }) => transactionId).filter(id => queue.has(id)));
    const admit = queue.admissions();
    const rows = deliveries.map(delivery => this.rowFor(delivery, admit(delivery.merchantId)));
    const receivedMs = clock.nowMs();
    const inserted = new Map((await store.insert(shards.replica, rows)).map(row => [row.transactionId, row]));
    const duplicates = deliveries.filter(({ transactionId }) => !inserted.has(transactionId));
    const lost = await this.claimedWithoutAnswer(duplicates, heldBefore);
    this.metrics.ingested({ stored: inserted.size, duplicate: duplicates.length });
    return rows.map(row => this.toWorkOn(row, inserted.get(row.transactionId) ?? lost.get(row.transactionId), receivedMs));
  }

  private rowFor(delivery: NewDelivery, admission: Admission): Row {
    const epoch = this.parts.shards.epochOf(delivery.shard);
    const version = this.parts.routes.lastVersion(delivery.merchantId) ?? storedVersion;
    return { ...delivery, admission, heldEpoch: epoch, epoch: epoch !== undefined && admission === 'CLAIM' ? epoch : 0, version };
  }

  /**
   * Duplicates change nothing (P-I10), with one exception: when the answer of a committed insert was lost, the row is claimed under this
   * replica's epoch and nobody works on it.
   */
  private async claimedWithoutAnswer(
    duplicates: readonly NewDelivery[],
    heldBefore: ReadonlySet<number>,
  ): Promise<Map<number, Claim>> {
    if (duplicates.length === 0) return new Map();
    const known = await this.parts.store.known(duplicates);
    const shards = new Map(duplicates.map(({ transactionId, shard }) => [transactionId, shard]));
    for (const { transactionId, isSame } of known) if (!isSame) this.metrics.conflictingContent(transactionId);
    const lost = known.filter(({ transactionId, epoch, isOpen }) => {
      const isOurs = epoch > 0 && epoch === this.parts.shards.epochOf(shards.get(transactionId)!);
      return isOurs && isOpen && !heldBefore.has(transactionId);
    });
    return new Map(lost.map(({ transactionId, epoch, version }) => [transactionId, { epoch, version }]));
  }

  /**
   * The delivery that this replica works on from now on. Owners of other shards find their rows themselves. A shard that this replica
   * gained during the insert is left to recovery too: the former owner may have claimed rows, and recovery reads which.
   */
  private toWorkOn(delivery: Row, row: Claim | undefined, receivedMs: number): Delivery | undefined {
    const epoch = this.parts.shards.epochOf(delivery.shard);
    if (!row || epoch === undefined || epoch !== delivery.heldEpoch) return undefined;
    if (row.epoch === 0 && delivery.admission === 'LEAVE') {
      this.parts.queue.backlog.note(delivery.merchantId);
      return undefined;
    }
    if (row.epoch === 0) return deliveryFromEvent(delivery, { version: null, epoch, receivedMs, isClaimed: false });
    return deliveryFromEvent(delivery, {
      version: row.version ?? delivery.version,
      epoch: row.epoch,
      receivedMs,
      isClaimed: true,
    });
  }
}

function newDelivery(event: TransactionTerminal): NewDelivery {
  return {
    transactionId: event.transactionId,
    merchantId: event.merchantId,
    shard: shardOf(event.transactionId),
    kind: event.kind,
    status: event.status,
    isReversible: event.kind === 'PURCHASE' && event.status === 'SUCCESS',
    referenceTransactionId: event.referenceTransactionId,
    completedAt: event.completedAt,
    payload: event.notification,
  };
}
