import {
  eventColumns,
  type EventToPublish,
  insertBesideOutbox,
  insertOutbox,
  outboxColumns,
  type OutboxEvent,
  outboxEvent,
} from '@paycode/events';
import { FlushQueue, preparedQuery } from '@paycode/persistence';
import type { PaymentTracing } from '@paycode/tracing';
import type { DataSource, EntityManager } from 'typeorm';
import type { CompletedTransaction, StoredTransaction } from '../domain/transaction';
import { TransactionStore } from '../transactions.ports';
import { transactionSql as sql } from './transaction.sql';
import { columnsOf, terminalEventOf, transactionFrom, type TransactionRow } from './transaction-rows';

/** Purchases of concurrent calls in one statement, and those that may wait for it. */
const together = { flushMax: 500, queueMax: 10_000 };

/** Of `columnsOf`. */
const parameterCount = 14;
const insertPurchases = { name: 'purchase-insert', text: insertBesideOutbox(sql.insert, parameterCount) };

type Keyed = Pick<CompletedTransaction, 'merchantId' | 'idempotencyKey'>;

const keyOf = ({ merchantId, idempotencyKey }: Keyed): string => `${merchantId} ${idempotencyKey}`;

/** A purchase and the event that announces it. */
interface Purchase {
  transaction: CompletedTransaction;
  announcement: OutboxEvent;
}

/** Transactions in PostgreSQL; every change and its event are one commit. */
export class PostgresTransactionStore extends TransactionStore {
  private readonly ids = new FlushQueue<undefined, number>(wanted => this.drawIds(wanted.length), together);
  private readonly purchases = new FlushQueue<Purchase, StoredTransaction | null>(purchases => this.insert(purchases), together);

  private isLate: () => void = () => undefined;

  /** `wakeRelay` is called after a commit that put events into the outbox. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly wakeRelay: () => void,
    private readonly tracing: PaymentTracing,
  ) {
    super();
  }

  override nextIds(count: number): Promise<number[]> {
    return this.ids.run(new Array<undefined>(count).fill(undefined));
  }

  override record(transactions: readonly CompletedTransaction[]): Promise<(StoredTransaction | null)[]> {
    return this.purchases.run(
      transactions.map(transaction => ({ transaction, announcement: outboxEvent(this.announcementOf(transaction)) })),
    );
  }

  override async recordForCode(
    transaction: CompletedTransaction,
    { consumes, announcedAfterS }: { consumes: boolean; announcedAfterS: number },
  ): Promise<boolean> {
    const isRecorded = await this.dataSource.transaction(async tx => {
      const [code]: { is_payable: boolean }[] = await tx.query(sql.lockCode, [transaction.code]);
      if (!code?.is_payable) return false;
      if (consumes) await tx.query(sql.useCode, [transaction.code]);
      await this.write(tx, [transaction], announcedAfterS);
      return true;
    });
    if (isRecorded) (announcedAfterS > 0 ? this.isLate : this.wakeRelay)();
    return isRecorded;
  }

  override async announceDue(): Promise<number> {
    const [moved] = await this.dataSource.query<{ count: number; wait_ms: number | null }[]>(sql.announceDue);
    const { count, wait_ms: waitMs } = moved!;
    if (count > 0) this.wakeRelay();
    return Math.max(0, waitMs ?? Infinity);
  }

  override onLate(listener: () => void): void {
    this.isLate = listener;
  }

  override async follow(
    originals: readonly number[],
    follow: (originals: ReadonlyMap<number, StoredTransaction>) => CompletedTransaction[],
  ): Promise<void> {
    await this.dataSource.transaction(async tx => {
      const ids = [...originals];
      await tx.query(sql.lock, [ids]);
      // A second statement after the lock, so that it sees the changes of the previous holder.
      const rows: TransactionRow[] = await tx.query(sql.findAll, [ids]);
      const found = rows.map(transactionFrom);
      const following = follow(new Map(found.map(original => [original.transactionId, original])));
      if (following.length > 0) await this.write(tx, following);
      const reversed = following
        .filter(({ txState }) => txState === 'END_REVERSED')
        .map(reversal => reversal.referenceTransactionId);
      if (reversed.length > 0) await tx.query(sql.markReversed, [reversed]);
    });
    this.wakeRelay();
  }

  override async find(transactionId: number): Promise<StoredTransaction | undefined> {
    return this.one(sql.find, transactionId);
  }

  override async findByKey(merchantId: number, idempotencyKey: string): Promise<StoredTransaction | undefined> {
    const [found] = await this.findByKeys([{ merchantId, idempotencyKey }]);
    return found;
  }

  override async latestOfCode(code: string): Promise<StoredTransaction | undefined> {
    return this.one(sql.latestOfCode, code);
  }

  private async one(text: string, parameter: unknown): Promise<StoredTransaction | undefined> {
    const [row]: TransactionRow[] = await this.dataSource.query(text, [parameter]);
    return row && transactionFrom(row);
  }

  private async drawIds(count: number): Promise<number[]> {
    const rows = await preparedQuery<{ id: string }>(this.dataSource, { name: 'transaction-ids', text: sql.nextIds }, [count]);
    return rows.map(row => Number(row.id)).sort((a, b) => a - b);
  }

  private async insert(purchases: readonly Purchase[]): Promise<(StoredTransaction | null)[]> {
    const transactions = purchases.map(({ transaction }) => transaction);
    const events = outboxColumns(purchases.map(({ announcement }) => announcement));
    const parameters = [...columnsOf(transactions), ...events];
    const rows = await preparedQuery<{ aggregateid: string }>(this.dataSource, insertPurchases, parameters);
    this.wakeRelay();
    if (rows.length === transactions.length) return transactions.map(() => null);
    const recorded = new Set(rows.map(({ aggregateid }) => Number(aggregateid)));
    const earlier = await this.earlierOf(transactions.filter(({ transactionId }) => !recorded.has(transactionId)));
    return transactions.map(({ transactionId }) => earlier.get(transactionId) ?? null);
  }

  /** By the id of each repeat: the transaction that has its key. */
  private async earlierOf(repeats: readonly CompletedTransaction[]): Promise<Map<number, StoredTransaction>> {
    const found = await this.findByKeys(repeats);
    const byKey = new Map(found.map(transaction => [keyOf(transaction), transaction]));
    return new Map(repeats.map(repeat => [repeat.transactionId, byKey.get(keyOf(repeat))!]));
  }

  private async findByKeys(keyed: readonly Keyed[]): Promise<StoredTransaction[]> {
    const merchantIds = keyed.map(({ merchantId }) => merchantId);
    const keys = keyed.map(({ idempotencyKey }) => idempotencyKey);
    const rows: TransactionRow[] = await this.dataSource.query(sql.findByKeys, [merchantIds, keys]);
    return rows.map(transactionFrom);
  }

  private async write(tx: EntityManager, transactions: readonly CompletedTransaction[], announcedAfterS = 0): Promise<void> {
    const inserted: unknown[] = await tx.query(sql.insert, columnsOf(transactions));
    if (inserted.length < transactions.length) throw new Error('another transaction has the idempotency key');
    const events = transactions.map(transaction => this.announcementOf(transaction));
    if (announcedAfterS === 0) await insertOutbox(tx, events);
    else await tx.query(sql.announceLater, [...eventColumns(events.map(outboxEvent)), announcedAfterS]);
  }

  private announcementOf(transaction: CompletedTransaction): EventToPublish {
    return { ...terminalEventOf(transaction), ...this.traceOf(transaction) };
  }

  /** A payment begins a trace; its refund or reversal continues it. */
  private traceOf({ transactionId, kind, referenceTransactionId }: CompletedTransaction): { traceparent?: string } {
    const follows = referenceTransactionId || undefined;
    const traceparent = this.tracing.begin(transactionId, { name: `${kind.toLowerCase()} completed`, follows });
    return traceparent === undefined ? {} : { traceparent };
  }
}
