import { type CloseAnswer, storedVersion, type VerdictKind } from '@paycode/dto';
import { joinPayloads, preparedQuery, scalars, texts } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import {
  DeliveryStore,
  type DeliveryToInsert,
  type InsertedDelivery,
  type KnownDelivery,
  type ShardCursor,
  type ShardedCloseItem,
  type MerchantCursor,
  type StoredDelivery,
  type SweepPage,
  type SweptShard,
} from '../deliveries.ports';
import type { Delivery, NewDelivery } from '../domain/delivery';
import { deliverySql as sql } from './delivery.sql';

interface StoredRow {
  id: string;
  merchant: string;
  shard: number;
  seq: string;
  reversible: boolean;
  payload: string;
  claimed: number;
  version: string | null;
  age_ms: string;
}

interface KnownRow {
  id: string;
  same: boolean;
  epoch: string;
  version: string;
  open: boolean;
}

/** Deliveries in PostgreSQL; every call is one or two statements for a whole batch. */
export class PostgresDeliveryStore extends DeliveryStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async insert(replica: string, deliveries: readonly DeliveryToInsert[]): Promise<InsertedDelivery[]> {
    const insert = { name: 'delivery-insert', text: sql.insert };
    const payloads = joinPayloads(deliveries.map(delivery => delivery.payload));
    const rows = await preparedQuery<{ id: string; seq: string; epoch: string }>(this.dataSource, insert, [
      replica,
      ...columnsOf(deliveries),
      payloads.bytes,
      payloads.starts,
      payloads.lengths,
      scalars(deliveries.map(delivery => delivery.isReversible)),
      scalars(deliveries.map(delivery => delivery.epoch)),
      scalars(deliveries.map(delivery => delivery.shard)),
      versionsOf(deliveries),
      scalars(deliveries.map(delivery => delivery.offset)),
      scalars(deliveries.map(delivery => delivery.step)),
    ]);
    return rows.map(row => ({ transactionId: Number(row.id), seq: Number(row.seq), epoch: Number(row.epoch) }));
  }

  override async known(deliveries: readonly NewDelivery[]): Promise<KnownDelivery[]> {
    const rows = await this.rows<KnownRow>(sql.known, columnsOf(deliveries));
    return rows.map(({ id, same, epoch, version, open }) => ({
      transactionId: Number(id),
      isSame: same,
      epoch: Number(epoch),
      version,
      isOpen: open,
    }));
  }

  override async claimAttempts(replica: string, deliveries: readonly Delivery[]): Promise<number[]> {
    const rows = await this.rows<{ id: string }>(sql.claimAttempts, [
      replica,
      scalars(deliveries.map(delivery => delivery.transactionId)),
      scalars(deliveries.map(delivery => delivery.shard)),
      scalars(deliveries.map(delivery => delivery.epoch)),
      scalars(deliveries.map(delivery => delivery.attempt)),
      texts(deliveries.map(delivery => delivery.version)),
    ]);
    return rows.map(row => Number(row.id));
  }

  override orphaned(cursors: readonly ShardCursor[], limitPerShard: number): Promise<StoredDelivery[]> {
    return this.stored(sql.orphaned, [...columnsOfShards(cursors), limitPerShard]);
  }

  override async sweep(replica: string, cursors: readonly ShardCursor[], page: SweepPage): Promise<SweptShard[]> {
    const [shards, epochs] = columnsOfShards(cursors);
    const [open] = await this.rows<{ idle: boolean | null }>(sql.idle, [shards]);
    if (open?.idle) return [];
    const [horizon] = await this.rows<{ shards: number[] | null; seq: string | null }>(sql.horizon, [replica, shards, epochs]);
    const horizonSeq = Number(horizon?.seq ?? 0);
    const held = new Set(horizon?.shards ?? []);
    const swept = cursors.filter(cursor => held.has(cursor.shard));
    if (swept.length === 0) return [];
    const [sweptShards, sweptEpochs, afterSeqs] = columnsOfShards(swept);
    await this.rows(sql.advance, [replica, sweptShards, sweptEpochs, horizonSeq]);
    const { limitPerShard, exceptMerchants } = page;
    const rows = await this.stored(sql.unclaimed, [sweptShards, sweptEpochs, afterSeqs, limitPerShard, scalars(exceptMerchants)]);
    const byShard = Map.groupBy(rows, row => row.shard);
    return swept.map(({ shard }) => {
      const unclaimed = byShard.get(shard) ?? [];
      // The horizon of a full page is its last row; the next sweep reads the rest.
      return { shard, horizonSeq: unclaimed.length < limitPerShard ? horizonSeq : unclaimed.at(-1)!.seq, unclaimed };
    });
  }

  override waiting(shards: readonly number[], cursors: readonly MerchantCursor[]): Promise<StoredDelivery[]> {
    return this.stored(sql.waiting, [
      scalars(shards),
      scalars(cursors.map(cursor => cursor.merchantId)),
      scalars(cursors.map(cursor => cursor.afterSeq)),
      scalars(cursors.map(cursor => cursor.limit)),
    ]);
  }

  override async close(items: readonly ShardedCloseItem[]): Promise<CloseAnswer[]> {
    const ids = items.map(item => item.transactionId);
    const placed = items.filter(({ step }) => step !== undefined);
    if (placed.length > 0) await this.rows(sql.closeUnknownInRange, [...closeColumns(placed), placed.map(({ step }) => step)]);
    const own = placed.length === 0 ? items : items.filter(({ step }) => step === undefined);
    if (own.length > 0) await this.rows(sql.closeUnknown, closeColumns(own));
    // A second statement: only a new snapshot sees the ingest that won the race for the row.
    const rows = await this.rows<{ id: string; verdict: VerdictKind | null }>(sql.verdicts, [ids]);
    return rows.map(row => ({ transactionId: Number(row.id), verdict: row.verdict ?? 'OPEN' }));
  }

  override async nowMs(): Promise<number> {
    const [row] = await this.rows<{ now_ms: number }>(sql.now, []);
    return row!.now_ms;
  }

  private async stored(statement: string, parameters: unknown[]): Promise<StoredDelivery[]> {
    const rows = await this.rows<StoredRow>(statement, parameters);
    return rows.map(row => ({
      transactionId: Number(row.id),
      merchantId: Number(row.merchant),
      shard: row.shard,
      seq: Number(row.seq),
      isReversible: row.reversible,
      payload: row.payload,
      attemptsClaimed: row.claimed,
      version: row.version,
      ageMs: Number(row.age_ms),
    }));
  }

  private rows<T>(statement: string, parameters: unknown[]): Promise<T[]> {
    return this.dataSource.query<T[]>(statement, parameters);
  }
}

function closeColumns(items: readonly ShardedCloseItem[]): unknown[] {
  return [items.map(item => item.transactionId), items.map(item => item.merchantId), items.map(item => item.shard)];
}

function columnsOfShards(cursors: readonly ShardCursor[]): [string, string, string] {
  return [
    scalars(cursors.map(cursor => cursor.shard)),
    scalars(cursors.map(cursor => cursor.epoch)),
    scalars(cursors.map(cursor => cursor.afterSeq)),
  ];
}

/** Empty as long as all are in the stored version, which is usual: PostgreSQL fills a shorter array up with nulls. */
function versionsOf(deliveries: readonly DeliveryToInsert[]): string {
  return deliveries.every(({ version }) => version === storedVersion) ? '{}' : texts(deliveries.map(({ version }) => version));
}

/** $1 … of the columns that identify a delivery's content, in the order of `delivery.sql`. */
function columnsOf(deliveries: readonly NewDelivery[]): unknown[] {
  return [
    scalars(deliveries.map(delivery => delivery.transactionId)),
    scalars(deliveries.map(delivery => delivery.merchantId)),
    texts(deliveries.map(delivery => delivery.kind)),
    texts(deliveries.map(delivery => delivery.status)),
    scalars(deliveries.map(delivery => delivery.referenceTransactionId)),
    texts(deliveries.map(delivery => delivery.completedAt)),
  ];
}
