import {
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

/** Columns of `columnsOf`. */
const columnCount = 11;
const insertPurchases = { name: 'purchase-insert', text: insertBesideOutbox(sql.insert, columnCount) };

/** A purchase and the event that announces it. */
interface Purchase {
  transaction: CompletedTransaction;
  announcement: OutboxEvent;
}

/** Transactions in PostgreSQL; every change and its event are one commit. */
export class PostgresTransactionStore extends TransactionStore {
  private readonly ids = new FlushQueue<undefined, number>(wanted => this.drawIds(wanted.length), together);
  private readonly purchases = new FlushQueue<Purchase, void>(purchases => this.insert(purchases), together);

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

  override async record(transactions: readonly CompletedTransaction[]): Promise<void> {
    await this.purchases.run(
      transactions.map(transaction => ({ transaction, announcement: outboxEvent(this.announcementOf(transaction)) })),
    );
  }

  override async recordForCode(transaction: CompletedTransaction, consumes: boolean): Promise<boolean> {
    const isRecorded = await this.dataSource.transaction(async tx => {
      const [code]: { is_payable: boolean }[] = await tx.query(sql.lockCode, [transaction.code]);
      if (!code?.is_payable) return false;
      if (consumes) await tx.query(sql.useCode, [transaction.code]);
      await this.write(tx, [transaction]);
      return true;
    });
    if (isRecorded) this.wakeRelay();
    return isRecorded;
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

  private async insert(purchases: readonly Purchase[]): Promise<void[]> {
    const columns = columnsOf(purchases.map(({ transaction }) => transaction));
    const events = outboxColumns(purchases.map(({ announcement }) => announcement));
    await preparedQuery(this.dataSource, insertPurchases, [...columns, ...events]);
    this.wakeRelay();
    return purchases.map(() => undefined);
  }

  private async write(tx: EntityManager, transactions: readonly CompletedTransaction[]): Promise<void> {
    await tx.query(sql.insert, columnsOf(transactions));
    await insertOutbox(
      tx,
      transactions.map(transaction => this.announcementOf(transaction)),
    );
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
