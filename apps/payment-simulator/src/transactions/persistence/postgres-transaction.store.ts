import { insertOutbox } from '@paycode/events';
import type { PaymentTracing } from '@paycode/tracing';
import type { DataSource, EntityManager } from 'typeorm';
import type { CompletedTransaction, StoredTransaction } from '../domain/transaction';
import { TransactionStore } from '../transactions.ports';
import {
  columnsOf,
  insertTransactions,
  selectTransactions,
  terminalEventOf,
  transactionFrom,
  type TransactionRow,
} from './transaction-rows';

/** Transactions in PostgreSQL; every change and its event are one commit. */
export class PostgresTransactionStore extends TransactionStore {
  /** `wakeRelay`: told after the commit that the outbox has something new. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly wakeRelay: () => void,
    private readonly tracing: PaymentTracing,
  ) {
    super();
  }

  override async nextIds(count: number): Promise<number[]> {
    const rows: { id: string }[] = await this.dataSource.query(
      `select nextval('transaction_id') as id from generate_series(1, $1)`,
      [count],
    );
    return rows.map(row => Number(row.id)).sort((a, b) => a - b);
  }

  override async record(transactions: readonly CompletedTransaction[]): Promise<void> {
    await this.dataSource.transaction(tx => this.write(tx, transactions));
    this.wakeRelay();
  }

  override async recordForCode(transaction: CompletedTransaction, consumes: boolean): Promise<boolean> {
    const isRecorded = await this.dataSource.transaction(async tx => {
      // The row lock makes concurrent payments of one code follow each other: a code for one use is paid once.
      const [code]: { is_payable: boolean }[] = await tx.query(
        `select (expires_at is null or expires_at > clock_timestamp()) and not (use_once and used_at is not null) as is_payable
           from code where code = $1 for update`,
        [transaction.code],
      );
      if (!code?.is_payable) return false;
      if (consumes) await tx.query('update code set used_at = coalesce(used_at, now()) where code = $1', [transaction.code]);
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
      // Locked in one order, so that two batches cannot deadlock; read in a statement after the lock, so that what the previous
      // holder wrote is seen.
      const ids = [...originals];
      await tx.query('select 1 from transaction where transaction_id = any($1::bigint[]) order by transaction_id for update', [
        ids,
      ]);
      const rows: TransactionRow[] = await tx.query(`${selectTransactions} where t.transaction_id = any($1::bigint[])`, [ids]);
      const found = rows.map(transactionFrom);
      const following = follow(new Map(found.map(original => [original.transactionId, original])));
      if (following.length > 0) await this.write(tx, following);
      const reversed = following
        .filter(({ txState }) => txState === 'END_REVERSED')
        .map(reversal => reversal.referenceTransactionId);
      if (reversed.length > 0)
        await tx.query(`update transaction set tx_state = 'END_REVERSED' where transaction_id = any($1::bigint[])`, [reversed]);
    });
    this.wakeRelay();
  }

  override async find(transactionId: number): Promise<StoredTransaction | undefined> {
    return this.one(`${selectTransactions} where t.transaction_id = $1`, transactionId);
  }

  override async latestOfCode(code: string): Promise<StoredTransaction | undefined> {
    return this.one(
      `${selectTransactions} where t.code = $1 and t.kind = 'PURCHASE' order by t.transaction_id desc limit 1`,
      code,
    );
  }

  private async one(sql: string, parameter: unknown): Promise<StoredTransaction | undefined> {
    const [row]: TransactionRow[] = await this.dataSource.query(sql, [parameter]);
    return row && transactionFrom(row);
  }

  private async write(tx: EntityManager, transactions: readonly CompletedTransaction[]): Promise<void> {
    await tx.query(insertTransactions, columnsOf(transactions));
    await insertOutbox(
      tx,
      transactions.map(transaction => ({ ...terminalEventOf(transaction), ...this.traceOf(transaction) })),
    );
  }

  /** A payment begins a trace; its refund or reversal goes on with it. */
  private traceOf({ transactionId, kind, referenceTransactionId }: CompletedTransaction): { traceparent?: string } {
    const follows = referenceTransactionId || undefined;
    const traceparent = this.tracing.begin(transactionId, { name: `${kind.toLowerCase()} completed`, follows });
    return traceparent === undefined ? {} : { traceparent };
  }
}
