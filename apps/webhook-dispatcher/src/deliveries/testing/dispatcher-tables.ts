import type { VerdictKind } from '@paycode/dto';
import type { OffsetRange } from '../../cells/partition-range';
import type { NewDelivery } from '../domain/delivery';

export interface ShardTableRow {
  shard: number;
  owner: string | null;
  epoch: number;
  lowSeq: number;
  /** The offsets that the cell takes (P-1.12). */
  takes: OffsetRange;
}

export interface DeliveryTableRow extends Omit<NewDelivery, 'payload' | 'offset' | 'step'> {
  seq: number;
  epoch: number;
  version: string;
  isStub: boolean;
  payload: string | null;
  receivedAtMs: number;
}

export interface AttemptTableRow {
  /** Of its claim. */
  epoch: number;
  version: string;
}

export interface VerdictTableRow {
  kind: VerdictKind;
  attempt: number | null;
  startedAtMs: number | null;
}

export interface AckOutboxRow {
  id: number;
  transactionId: number;
  data: unknown;
}

interface NoticeRetryRow {
  shard: number;
  attempt: number;
  dueAtMs: number;
}

/** Receives the changes of the tables, to check invariants. */
export interface TablesWatcher {
  deliveryWritten(transactionId: number, former: DeliveryTableRow | undefined): void;
  ackPublished(transactionId: number, data: unknown): void;
  verdictWritten(transactionId: number, row: VerdictTableRow, former: VerdictTableRow | undefined): void;
  shardTaken(shard: number, former: string | null): void;
}

/**
 * The dispatcher's tables in memory, with the operations that several stores use. The stores in this folder perform one statement at a time
 * through an executor; `dispatcher-stores.conformance.ts` holds them to the PostgreSQL ones.
 */
export class DispatcherTables {
  readonly shards: Map<number, ShardTableRow>;
  readonly heartbeats = new Map<string, number>();
  /** Instance by replica. */
  readonly instances = new Map<string, string>();
  readonly heartbeatAtMs = new Map<string, number>();
  /** Session that holds the lock of a replica (P-T11). */
  readonly locks = new Map<string, number>();
  lastSession = 0;
  readonly deliveries = new Map<number, DeliveryTableRow>();
  /** Whether the core gave the money of a payment back, by payment; false: it said that it could not. In place of the index of reversals. */
  readonly reversedByCore = new Map<number, boolean>();
  /** Unresolved deliveries per shard, in order of seq, in place of the indexes. */
  readonly unresolved = new Map<number, DeliveryTableRow[]>();
  /** By transaction and attempt. */
  readonly attempts = new Map<number, Map<number, AttemptTableRow>>();
  readonly verdicts = new Map<number, VerdictTableRow>();
  /** When the pause of an endpoint ends. */
  readonly pauses = new Map<string, number>();
  readonly notices = new Map<number, NoticeRetryRow>();
  readonly outbox = new Map<number, AckOutboxRow>();
  lastSeq = 0;
  private lastOutboxId = 0;

  constructor(
    shards: Iterable<number>,
    readonly nowMs: () => number,
    private readonly watcher?: TablesWatcher,
  ) {
    this.shards = new Map(
      [...shards].map(shard => [shard, { shard, owner: null, epoch: 0, lowSeq: 1, takes: { from: 0, until: null, step: 0 } }]),
    );
  }

  holds(replica: string, { shard, epoch }: { shard: number; epoch: number }): boolean {
    const row = this.shards.get(shard);
    return row?.owner === replica && row.epoch === epoch;
  }

  /** Whether the cell takes the event, by the range of its shard. */
  takes({ shard, offset, step }: Pick<NewDelivery, 'shard' | 'offset' | 'step'>): boolean {
    const range = this.shards.get(shard)?.takes;
    return range?.step === step && offset >= range.from && offset < (range.until ?? Infinity);
  }

  /** Whether the cell may close a payment that it has not stored. */
  mayClose({ shard, step }: { shard: number; step?: number }): boolean {
    const range = this.shards.get(shard)?.takes;
    return step === undefined || (range?.step === step && range.until === null);
  }

  isOpen(transactionId: number): boolean {
    return !this.verdicts.has(transactionId);
  }

  insertDelivery(row: DeliveryTableRow): void {
    this.watcher?.deliveryWritten(row.transactionId, this.deliveries.get(row.transactionId));
    this.deliveries.set(row.transactionId, row);
    if (row.isStub) return;
    const { kind, status, referenceTransactionId: original } = row;
    if (kind === 'REVERSAL')
      this.reversedByCore.set(original, status === 'REVERSED' || this.reversedByCore.get(original) === true);
    const rows = this.unresolved.get(row.shard);
    if (rows) rows.push(row);
    else this.unresolved.set(row.shard, [row]);
  }

  /** False when there is a verdict already. */
  insertVerdict(transactionId: number, row: VerdictTableRow): boolean {
    if (this.verdicts.has(transactionId)) return false;
    this.writeVerdict(transactionId, row);
    return true;
  }

  /** Overwrites an existing verdict, as only a faulty store would. */
  writeVerdict(transactionId: number, row: VerdictTableRow): void {
    const former = this.verdicts.get(transactionId);
    this.verdicts.set(transactionId, row);
    this.watcher?.verdictWritten(transactionId, row, former);
  }

  raiseEpoch(row: ShardTableRow, owner: string): void {
    const former = row.owner;
    row.owner = owner;
    row.epoch++;
    this.watcher?.shardTaken(row.shard, former);
  }

  addAck(transactionId: number, data: unknown): void {
    const id = ++this.lastOutboxId;
    this.watcher?.ackPublished(transactionId, data);
    this.outbox.set(id, { id, transactionId, data });
  }

  /** Open deliveries of a shard from `fromSeq` on; removes resolved ones from the list. */
  openOf(shard: number, fromSeq: number): DeliveryTableRow[] {
    const rows = (this.unresolved.get(shard) ?? []).filter(row => this.isOpen(row.transactionId));
    this.unresolved.set(shard, rows);
    return rows.filter(row => row.seq >= fromSeq);
  }

  attemptsClaimed(row: DeliveryTableRow): number {
    const claimed = this.attempts.get(row.transactionId);
    return Math.max(row.epoch > 0 ? 1 : 0, ...(claimed ? claimed.keys() : []));
  }

  /** Payload version of the first attempt; null: none is claimed. */
  versionOf({ transactionId, epoch, version }: DeliveryTableRow): string | null {
    const [first] = [...(this.attempts.get(transactionId) ?? [])].sort(([a], [b]) => a - b);
    return first?.[1].version ?? (epoch > 0 ? version : null);
  }
}

/** Performs one statement: at once, or after a delay, with or without returning the answer. */
export type StatementExecutor = <T>(effect: () => T) => Promise<T>;

/** For tests of the stores themselves. */
export const atOnce: StatementExecutor = async effect => effect();
