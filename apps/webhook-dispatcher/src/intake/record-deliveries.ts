import { storedVersion } from '@paycode/dto';
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
import { type Delivery, deliveryFromEvent, type NewDelivery, type PlacedTerminal } from '../deliveries/domain/delivery';
import type { Admission, DeliveryQueue } from '../queueing/delivery-queue';
import type { RouteCache } from '../routes/route-cache';
import type { FormerCells } from '../cells/former-cells';
import type { PartitionRanges } from '../cells/partition-range';

export interface RecordParts {
  store: DeliveryStore;
  shards: OwnedShards;
  queue: DeliveryQueue;
  ranges: Pick<PartitionRanges, 'rangeOf'>;
  /** Default: this cell had every partition from the first event on. */
  former?: Pick<FormerCells, 'ask'>;
  /** Reads the routes of new merchants, so that their deliveries have a queue. */
  routes: Pick<RouteCache, 'learn' | 'lastVersion'>;
  clock: Clock;
  flushing: FlushPauses;
}

/** A delivery to be stored, where it goes after that, and the epoch of its shard if this replica owns it. */
type Row = DeliveryToInsert & { admission: Admission; heldEpoch: number | undefined };

/** How the insert claimed it. Version: absent unless the row was stored before. */
type Claim = Pick<InsertedDelivery, 'epoch'> & Partial<Pick<KnownDelivery, 'version'>>;

/** Told of the first offset of the range when events were refused. */
type StartAt = (offset: number) => void;

/** The outcome of an event; undefined: it is stored, and not this replica's to work on. */
type Outcome = Delivery | 'REFUSED' | undefined;

const batchMax = { flushMax: 1_000, queueMax: 100_000 };

/**
 * Flow: events of a batch -> durable, each transaction once -> queue of its endpoint. Resolves after the commit, so that the offset moves
 * only then (P-1.2-1). The 45 seconds have not begun here.
 */
export class RecordDeliveries {
  private readonly inserts: FlushQueue<NewDelivery, Outcome>;

  constructor(
    private readonly parts: RecordParts,
    private readonly metrics: DeliveryMetrics,
  ) {
    this.inserts = new FlushQueue(deliveries => this.insert(deliveries), { ...batchMax, ...parts.flushing });
  }

  /**
   * Events of one partition. Resolves to the offset from which on this cell takes nothing, if one of them lies there (P-1.12). Rejects when it cannot
   * know that the batch is durable: the batch must come again.
   */
  async record(received: readonly PlacedTerminal[], partition = 0, startAt?: StartAt): Promise<number | undefined> {
    const { former } = this.parts;
    const { step, events } = former ? await former.ask(partition, received) : { step: 0, events: received };
    await this.parts.routes.learn(events.map(event => event.merchantId));
    const outcomes = await this.inserts.run(events.map(event => newDelivery(event, step)));
    this.parts.queue.accept(outcomes.filter(outcome => outcome !== undefined && outcome !== 'REFUSED'));
    return this.endBefore(
      events.filter((_, at) => outcomes[at] === 'REFUSED'),
      startAt,
    );
  }

  /** Refused events below the range belong to another cell, which has them. From its end on, nothing may count as read here. */
  private async endBefore(refused: readonly PlacedTerminal[], startAt?: StartAt): Promise<number | undefined> {
    if (refused.length === 0) return undefined;
    const { from, until } = await this.parts.ranges.rangeOf([shardOf(refused[0]!.transactionId)]);
    startAt?.(from);
    const offsets = refused.map(({ offset }) => offset).filter(offset => offset >= from);
    if (offsets.some(offset => until === null || offset < until)) throw new Error('the range of a partition has just begun');
    return offsets.length === 0 ? undefined : until!;
  }

  private async insert(deliveries: readonly NewDelivery[]): Promise<Outcome[]> {
    const { store, shards, queue, clock } = this.parts;
    const heldBefore = new Set(deliveries.map(({ transactionId }) => transactionId).filter(id => queue.has(id)));
    const admit = queue.admissions();
    const rows = deliveries.map(delivery => this.rowFor(delivery, admit(delivery.merchantId)));
    const receivedMs = clock.nowMs();
    const inserted = new Map((await store.insert(shards.replica, rows)).map(row => [row.transactionId, row]));
    const duplicates = deliveries.filter(({ transactionId }) => !inserted.has(transactionId));
    const known = duplicates.length === 0 ? [] : await store.known(duplicates);
    const lost = this.claimedWithoutAnswer(known, heldBefore);
    const stored = new Set([...inserted.keys(), ...known.map(({ transactionId }) => transactionId)]);
    this.metrics.ingested({ stored: inserted.size, duplicate: known.length });
    return rows.map(row => {
      const { transactionId } = row;
      if (!stored.has(transactionId)) return 'REFUSED';
      return this.toWorkOn(row, inserted.get(transactionId) ?? lost.get(transactionId), receivedMs);
    });
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
  private claimedWithoutAnswer(known: readonly KnownDelivery[], heldBefore: ReadonlySet<number>): Map<number, Claim> {
    for (const { transactionId, isSame } of known) if (!isSame) this.metrics.conflictingContent(transactionId);
    const lost = known.filter(({ transactionId, epoch, isOpen }) => {
      const isOurs = epoch > 0 && epoch === this.parts.shards.epochOf(shardOf(transactionId));
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

function newDelivery(event: PlacedTerminal, step: number): NewDelivery {
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
    offset: event.offset,
    step,
  };
}
