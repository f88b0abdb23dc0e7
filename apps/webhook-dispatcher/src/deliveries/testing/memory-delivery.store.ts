import { type CloseAnswer, storedVersion } from '@paycode/dto';
import {
  DeliveryStore,
  type DeliveryToInsert,
  type InsertedDelivery,
  type KnownDelivery,
  type MerchantCursor,
  type ShardCursor,
  type ShardedCloseItem,
  type StoredDelivery,
  type SweepPage,
  type SweptShard,
} from '../deliveries.ports';
import type { Delivery, NewDelivery } from '../domain/delivery';
import type { AttemptTableRow, DeliveryTableRow, DispatcherTables, StatementExecutor } from './dispatcher-tables';

/** Deliveries, statement by statement as `PostgresDeliveryStore` has them. */
export class MemoryDeliveryStore extends DeliveryStore {
  constructor(
    protected readonly tables: DispatcherTables,
    protected readonly execute: StatementExecutor,
  ) {
    super();
  }

  override insert(replica: string, deliveries: readonly DeliveryToInsert[]): Promise<InsertedDelivery[]> {
    return this.execute(() =>
      deliveries.flatMap(delivery => {
        const { tables } = this;
        if (tables.deliveries.has(delivery.transactionId) || !this.mayTake(delivery)) return [];
        const epoch = tables.holds(replica, delivery) ? delivery.epoch : 0;
        const seq = ++tables.lastSeq;
        tables.insertDelivery({ ...delivery, epoch, seq, isStub: false, receivedAtMs: tables.nowMs() });
        return [{ transactionId: delivery.transactionId, seq, epoch }];
      }),
    );
  }

  protected mayTake(delivery: NewDelivery): boolean {
    return this.tables.takes(delivery);
  }

  override known(deliveries: readonly NewDelivery[]): Promise<KnownDelivery[]> {
    return this.execute(() =>
      deliveries.flatMap(delivery => {
        const row = this.tables.deliveries.get(delivery.transactionId);
        if (!row) return [];
        const isSame = row.isStub || contentOf(row) === contentOf(delivery);
        const isOpen = this.tables.isOpen(row.transactionId);
        return [{ transactionId: row.transactionId, isSame, epoch: row.epoch, version: row.version, isOpen }];
      }),
    );
  }

  override claimAttempts(replica: string, deliveries: readonly Delivery[]): Promise<number[]> {
    return this.execute(() =>
      deliveries.flatMap(delivery => {
        const { transactionId, attempt, epoch, version } = delivery;
        if (!this.tables.holds(replica, delivery) || !this.tables.isOpen(transactionId)) return [];
        const claims = this.tables.attempts.get(transactionId) ?? new Map<number, AttemptTableRow>();
        if ((claims.get(attempt)?.epoch ?? epoch) !== epoch) return [];
        this.tables.attempts.set(transactionId, claims.set(attempt, { epoch, version: version! }));
        return [transactionId];
      }),
    );
  }

  override orphaned(cursors: readonly ShardCursor[], limitPerShard: number): Promise<StoredDelivery[]> {
    return this.execute(() => this.page(cursors, limitPerShard, (row, { epoch }) => row.epoch >= 1 && row.epoch < epoch));
  }

  override async sweep(
    replica: string,
    cursors: readonly ShardCursor[],
    { limitPerShard, exceptMerchants }: SweepPage,
  ): Promise<SweptShard[]> {
    const { tables } = this;
    const horizon = await this.execute(() => ({
      shards: new Set(cursors.filter(cursor => tables.holds(replica, cursor)).map(({ shard }) => shard)),
      seq: tables.lastSeq,
    }));
    const swept = cursors.filter(({ shard }) => horizon.shards.has(shard));
    if (swept.length === 0) return [];
    await this.execute(() => {
      for (const cursor of swept) if (tables.holds(replica, cursor)) this.advance(cursor.shard, horizon.seq);
    });
    const rows = await this.execute(() =>
      this.page(swept, limitPerShard, row => row.epoch === 0 && !exceptMerchants.includes(row.merchantId)),
    );
    return swept.map(({ shard }) => {
      const unclaimed = rows.filter(row => row.shard === shard);
      return { shard, horizonSeq: unclaimed.length < limitPerShard ? horizon.seq : unclaimed.at(-1)!.seq, unclaimed };
    });
  }

  override waiting(shards: readonly number[], cursors: readonly MerchantCursor[]): Promise<StoredDelivery[]> {
    return this.execute(() =>
      [...cursors]
        .sort((a, b) => a.merchantId - b.merchantId)
        .flatMap(({ merchantId, afterSeq, limit }) => {
          const rows = shards.flatMap(shard => this.tables.openOf(shard, afterSeq + 1));
          const wanted = rows.filter(row => row.epoch === 0 && row.merchantId === merchantId);
          return wanted.sort((a, b) => a.seq - b.seq).slice(0, limit);
        })
        .map(row => this.storedFrom(row)),
    );
  }

  override async close(items: readonly ShardedCloseItem[]): Promise<CloseAnswer[]> {
    await this.execute(() => {
      for (const item of items)
        if (!this.tables.deliveries.has(item.transactionId) && this.tables.mayClose(item)) this.closeUnknown(item);
    });
    return this.execute(() => this.answers(items));
  }

  override nowMs(): Promise<number> {
    return this.execute(() => this.tables.nowMs());
  }

  protected answers(items: readonly ShardedCloseItem[]): CloseAnswer[] {
    return items
      .filter(({ transactionId }) => this.tables.deliveries.has(transactionId))
      .map(({ transactionId }) => ({ transactionId, verdict: this.tables.verdicts.get(transactionId)?.kind ?? 'OPEN' }));
  }

  protected closeUnknown({ transactionId, merchantId, shard }: ShardedCloseItem): void {
    const stub = { kind: 'PURCHASE', status: 'SUCCESS', isReversible: true, referenceTransactionId: 0, completedAt: '' } as const;
    const row = {
      ...stub,
      transactionId,
      merchantId,
      shard,
      seq: 0,
      epoch: 0,
      version: storedVersion,
      isStub: true,
      payload: null,
    };
    this.tables.insertDelivery({ ...row, receivedAtMs: this.tables.nowMs() });
    this.tables.insertVerdict(transactionId, { kind: 'CLOSED_NEVER_SENT', attempt: null, startedAtMs: null });
  }

  private advance(shard: number, horizonSeq: number): void {
    const row = this.tables.shards.get(shard)!;
    const [oldest] = this.tables.openOf(shard, row.lowSeq).filter(({ seq }) => seq <= horizonSeq);
    row.lowSeq = Math.max(row.lowSeq, oldest?.seq ?? horizonSeq + 1);
  }

  private page(
    cursors: readonly ShardCursor[],
    limit: number,
    isWanted: (row: DeliveryTableRow, cursor: ShardCursor) => boolean,
  ): StoredDelivery[] {
    return [...cursors]
      .sort((a, b) => a.shard - b.shard)
      .flatMap(cursor => {
        const lowSeq = this.tables.shards.get(cursor.shard)?.lowSeq;
        if (lowSeq === undefined) return [];
        const rows = this.tables.openOf(cursor.shard, Math.max(lowSeq, cursor.afterSeq + 1));
        return rows.filter(row => isWanted(row, cursor)).slice(0, limit);
      })
      .map(row => this.storedFrom(row));
  }

  private storedFrom(row: DeliveryTableRow): StoredDelivery {
    const { transactionId, merchantId, shard, seq, isReversible, payload, receivedAtMs } = row;
    const [attemptsClaimed, ageMs] = [this.tables.attemptsClaimed(row), this.tables.nowMs() - receivedAtMs];
    const version = this.tables.versionOf(row);
    return { transactionId, merchantId, shard, seq, isReversible, payload: payload!, attemptsClaimed, version, ageMs };
  }
}

function contentOf(row: Pick<NewDelivery, 'merchantId' | 'kind' | 'status' | 'referenceTransactionId' | 'completedAt'>): string {
  return JSON.stringify([row.merchantId, row.kind, row.status, row.referenceTransactionId, Date.parse(row.completedAt)]);
}
