import { insertOutbox } from '@paycode/events';
import type { PaymentTracing } from '@paycode/tracing';
import type { DataSource, EntityManager } from 'typeorm';
import type { CompletedTransaction, StoredTransaction } from '../domain/transaction';
import { TransactionStore } from '../transactions.ports';
import { transactionSql as sql } from './transaction.sql';
import { columnsOf, terminalEventOf, transactionFrom, type TransactionRow } from './transaction-rows';

/** Transactions in PostgreSQL; every change and its event are one commit. */
export class PostgresTransactionStore extends TransactionStore {
  /** `wakeRelay` is called after a commit that put events into the outbox. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly wakeRelay: () => void,
    private readonly tracing: PaymentTracing,
  ) {
    super();
  }

  override async nextIds(count: number): Promise<number[]> {
    const rows: { id: string }[] = await this.dataSource.query(sql.nextIds, [count]);
    return rows.map(row => Number(row.id)).sort((a, b) => a - b);
  }

  override async record(transactions: readonly CompletedTransaction[]): Promise<void> {
    await this.dataSource.transaction(tx => this.write(tx, transactions));
    this.wakeRelay();
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

  private async write(tx: EntityManager, transactions: readonly CompletedTransaction[]): Promise<void> {
    await tx.query(sql.insert, columnsOf(transactions));
    await insertOutbox(
      tx,
      transactions.map(transaction => ({ ...terminalEventOf(transaction), ...this.traceOf(transaction) })),
    );
  }

  /** A payment begins a trace; its refund or reversal continues it. */
  private traceOf({ transactionId, kind, referenceTransactionId }: CompletedTransaction): { traceparent?: string } {
    const follows = referenceTransactionId || undefined;
    const traceparent = this.tracing.begin(transactionId, { name: `${kind.toLowerCase()} completed`, follows });
    return traceparent === undefined ? {} : { traceparent };
  }
}
