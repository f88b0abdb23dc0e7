import type { CloseAnswer, VerdictKind } from '@paycode/dto';
import { preparedQuery, scalars, texts } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import {
  DeliveryStore,
  type DeliveryToInsert,
  type InsertedDelivery,
  type KnownDelivery,
  type LaneCursor,
  type LanedCloseItem,
  type MerchantCursor,
  type StoredDelivery,
  type SweepPage,
  type SweptLane,
} from '../deliveries.ports';
import type { Delivery, NewDelivery } from '../domain/delivery';
import { deliverySql as sql } from './delivery.sql';

interface StoredRow {
  id: string;
  merchant: string;
  lane: number;
  seq: string;
  reversible: boolean;
  payload: string;
  claimed: number;
  age_ms: string;
}

/** Deliveries in PostgreSQL; every call is one or two statements for a whole batch. */
export class PostgresDeliveryStore extends DeliveryStore {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async insert(replica: string, deliveries: readonly DeliveryToInsert[]): Promise<InsertedDelivery[]> {
    const insert = { name: 'delivery-insert', text: sql.insert };
    const rows = await preparedQuery<{ id: string; seq: string; epoch: string }>(this.dataSource, insert, [
      replica,
      ...columnsOf(deliveries),
      texts(deliveries.map(delivery => delivery.payload)),
      scalars(deliveries.map(delivery => delivery.isReversible)),
      scalars(deliveries.map(delivery => delivery.epoch)),
      scalars(deliveries.map(delivery => delivery.lane)),
    ]);
    return rows.map(row => ({ transactionId: Number(row.id), seq: Number(row.seq), epoch: Number(row.epoch) }));
  }

  override async known(deliveries: readonly NewDelivery[]): Promise<KnownDelivery[]> {
    const rows = await this.rows<{ id: string; same: boolean; epoch: string; open: boolean }>(sql.known, columnsOf(deliveries));
    return rows.map(row => ({ transactionId: Number(row.id), isSame: row.same, epoch: Number(row.epoch), isOpen: row.open }));
  }

  override async claimAttempts(replica: string, deliveries: readonly Delivery[]): Promise<number[]> {
    const rows = await this.rows<{ id: string }>(sql.claimAttempts, [
      replica,
      scalars(deliveries.map(delivery => delivery.transactionId)),
      scalars(deliveries.map(delivery => delivery.lane)),
      scalars(deliveries.map(delivery => delivery.epoch)),
      scalars(deliveries.map(delivery => delivery.attempt)),
    ]);
    return rows.map(row => Number(row.id));
  }

  override orphaned(cursors: readonly LaneCursor[], limitPerLane: number): Promise<StoredDelivery[]> {
    return this.stored(sql.orphaned, [...columnsOfLanes(cursors), limitPerLane]);
  }

  override async sweep(replica: string, cursors: readonly LaneCursor[], page: SweepPage): Promise<SweptLane[]> {
    const [lanes, epochs] = columnsOfLanes(cursors);
    const [horizon] = await this.rows<{ lanes: number[] | null; seq: string | null }>(sql.horizon, [replica, lanes, epochs]);
    const horizonSeq = Number(horizon?.seq ?? 0);
    const held = new Set(horizon?.lanes ?? []);
    const swept = cursors.filter(cursor => held.has(cursor.lane));
    if (swept.length === 0) return [];
    const [sweptLanes, sweptEpochs, afterSeqs] = columnsOfLanes(swept);
    await this.rows(sql.advance, [replica, sweptLanes, sweptEpochs, horizonSeq]);
    const { limitPerLane, exceptMerchants } = page;
    const rows = await this.stored(sql.unclaimed, [sweptLanes, sweptEpochs, afterSeqs, limitPerLane, scalars(exceptMerchants)]);
    const byLane = Map.groupBy(rows, row => row.lane);
    return swept.map(({ lane }) => {
      const unclaimed = byLane.get(lane) ?? [];
      // A full page ends at its last row: the rest comes with the next sweep.
      return { lane, horizonSeq: unclaimed.length < limitPerLane ? horizonSeq : unclaimed.at(-1)!.seq, unclaimed };
    });
  }

  override waiting(lanes: readonly number[], cursors: readonly MerchantCursor[]): Promise<StoredDelivery[]> {
    return this.stored(sql.waiting, [
      scalars(lanes),
      scalars(cursors.map(cursor => cursor.merchantId)),
      scalars(cursors.map(cursor => cursor.afterSeq)),
      scalars(cursors.map(cursor => cursor.limit)),
    ]);
  }

  override async close(items: readonly LanedCloseItem[]): Promise<CloseAnswer[]> {
    const ids = items.map(item => item.transactionId);
    await this.rows(sql.closeUnknown, [ids, items.map(item => item.merchantId), items.map(item => item.lane)]);
    // A second statement: only a new snapshot sees the ingest that won the race for the row.
    const rows = await this.rows<{ id: string; verdict: VerdictKind | null }>(sql.verdicts, [ids]);
    return rows.map(row => ({ transactionId: Number(row.id), verdict: row.verdict ?? 'OPEN' }));
  }

  private async stored(statement: string, parameters: unknown[]): Promise<StoredDelivery[]> {
    const rows = await this.rows<StoredRow>(statement, parameters);
    return rows.map(row => ({
      transactionId: Number(row.id),
      merchantId: Number(row.merchant),
      lane: row.lane,
      seq: Number(row.seq),
      isReversible: row.reversible,
      payload: row.payload,
      attemptsClaimed: row.claimed,
      ageMs: Number(row.age_ms),
    }));
  }

  private rows<T>(statement: string, parameters: unknown[]): Promise<T[]> {
    return this.dataSource.query<T[]>(statement, parameters);
  }
}

function columnsOfLanes(cursors: readonly LaneCursor[]): [string, string, string] {
  return [
    scalars(cursors.map(cursor => cursor.lane)),
    scalars(cursors.map(cursor => cursor.epoch)),
    scalars(cursors.map(cursor => cursor.afterSeq)),
  ];
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
