import { Injectable } from '@nestjs/common';
import type { AckReceived, ReversalRequested, TransactionTerminal } from '@paycode/dto';
import { DataSource } from 'typeorm';

/** A terminal transaction with what its sealed notification tells a merchant about money; nothing of the payer. */
export interface TerminalFacts extends Pick<
  TransactionTerminal,
  'transactionId' | 'merchantId' | 'kind' | 'status' | 'referenceTransactionId' | 'completedAt'
> {
  amount: string;
  currencyCode: string;
  reference: string;
  /** null: the payment had none. */
  code: string | null;
  tipAmount: string | null;
}

/** Events write what they know into one row, in any order; what is there already stays (replays, repeats). Sorted: no two batches deadlock. */
export const writeSql = {
  terminals: `
    insert into payment as p (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference, code, tip_amount)
    select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[], $7::numeric[], $8::text[], $9::text[], $10::text[], $11::numeric[])
     order by 1
    on conflict (transaction_id) do update set (kind, status, reference_transaction_id, completed_at, amount, currency_code, reference, code, tip_amount) =
      (excluded.kind, excluded.status, excluded.reference_transaction_id, excluded.completed_at, excluded.amount, excluded.currency_code,
       excluded.reference, excluded.code, excluded.tip_amount)
     where p.kind is null`,
  reversedBy: `
    insert into payment as p (transaction_id, merchant_id, reversed_by)
    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) order by 1
    on conflict (transaction_id) do update set reversed_by = excluded.reversed_by where p.reversed_by is null`,
  reversalFailedBy: `
    insert into payment as p (transaction_id, merchant_id, reversal_failed_by)
    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) order by 1
    on conflict (transaction_id) do update set reversal_failed_by = excluded.reversal_failed_by where p.reversal_failed_by is null`,
  refundedBy: `
    insert into payment as p (transaction_id, merchant_id, refunded_by)
    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[]) order by 1
    on conflict (transaction_id) do update set refunded_by = excluded.refunded_by where p.refunded_by is null`,
  acks: `
    insert into payment as p (transaction_id, merchant_id, acknowledged_at, ack_source, ack_elapsed_ms)
    select * from unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::text[], $5::int[]) order by 1
    on conflict (transaction_id) do update set (acknowledged_at, ack_source, ack_elapsed_ms) =
      (excluded.acknowledged_at, excluded.ack_source, excluded.ack_elapsed_ms)
     where p.acknowledged_at is null`,
  // Each payment that is reversed goes to the alerts once, in the same statement; old ones come from topics that are read again.
  reversals: `
    with written as (
      insert into payment as p (transaction_id, merchant_id, reversal_requested_at, reversal_reason)
      select * from unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::text[]) order by 1
      on conflict (transaction_id) do update set (reversal_requested_at, reversal_reason) =
        (excluded.reversal_requested_at, excluded.reversal_reason)
       where p.reversal_requested_at is null
      returning p.transaction_id, p.merchant_id, p.reversal_requested_at)
    insert into alert_reversal (transaction_id, merchant_id, requested_at)
    select transaction_id, merchant_id, reversal_requested_at from written
     where reversal_requested_at > clock_timestamp() - interval '1 hour'
    on conflict (transaction_id) do nothing`,
  // The oldest rows, by the index payment_at. A reversal writes into its payment, so a payment that was never recorded goes with its reversal.
  purge: `
    with old as (
      select transaction_id, reference_transaction_id from payment
       where completed_at < statement_timestamp() - $1 * interval '1 millisecond' and transaction_id > 0
       order by completed_at, transaction_id limit $2),
    gone as (
      select transaction_id from old
       union all
      select p.transaction_id from old join payment p on p.transaction_id = old.reference_transaction_id where p.completed_at is null)
    delete from payment where transaction_id = any(array(select transaction_id from gone))`,
} as const;

/** Rows that one statement deletes, so that locks and transactions stay short, and statements of one run. */
const purgeBatch = 5_000;
const purgeBatchesMax = 20;

/** The read model as events write it: any order, any number of times. Durable when it resolves. */
@Injectable()
export class PaymentWriter {
  constructor(private readonly dataSource: DataSource) {}

  async terminals(facts: readonly TerminalFacts[]): Promise<void> {
    const each = onceEach(facts);
    await this.write(writeSql.terminals, each, [
      fact => fact.transactionId,
      fact => fact.merchantId,
      fact => fact.kind,
      fact => fact.status,
      fact => fact.referenceTransactionId,
      // In milliseconds, as pages are keyed: the end of a page must not lie between two payments of one millisecond.
      fact => new Date(fact.completedAt).toISOString(),
      fact => fact.amount,
      fact => fact.currencyCode,
      fact => fact.reference,
      fact => fact.code,
      fact => fact.tipAmount,
    ]);
    const notices = each.filter(({ referenceTransactionId }) => referenceTransactionId > 0);
    const reversals = notices.filter(({ kind }) => kind === 'REVERSAL');
    // Any other status says that the money was not given back.
    const [succeeded, failed] = [true, false].map(is => reversals.filter(({ status }) => (status === 'REVERSED') === is));
    await this.noticesOf(writeSql.reversedBy, succeeded!);
    await this.noticesOf(writeSql.reversalFailedBy, failed!);
    await this.noticesOf(
      writeSql.refundedBy,
      notices.filter(({ kind, status }) => kind === 'REFUND' && status === 'REFUNDED'),
    );
  }

  acks(acks: readonly AckReceived[]): Promise<void> {
    return this.write(writeSql.acks, onceEach(acks), [
      ack => ack.transactionId,
      ack => ack.merchantId,
      ack => ack.acknowledgedAt,
      ack => ack.source,
      ack => ack.elapsedMs,
    ]);
  }

  reversals(reversals: readonly ReversalRequested[]): Promise<void> {
    return this.write(writeSql.reversals, onceEach(reversals), [
      reversal => reversal.transactionId,
      reversal => reversal.merchantId,
      reversal => reversal.requestedAt,
      reversal => reversal.reason,
    ]);
  }

  /** Deletes payments that completed longer ago than this, up to a bound. Dispatcher and scheduler keep one that is open. */
  async purge(olderThanMs: number): Promise<void> {
    for (let batch = 0; batch < purgeBatchesMax; batch++) {
      const [, count] = await this.dataSource.query<[unknown, number]>(writeSql.purge, [olderThanMs, purgeBatch]);
      if (count < purgeBatch) break;
    }
  }

  /** Writes which reversal or refund refers to a payment into the row of the payment. */
  private noticesOf(text: string, notices: readonly TerminalFacts[]): Promise<void> {
    const originals = notices.map(({ transactionId, merchantId, referenceTransactionId }) => ({
      transactionId: referenceTransactionId,
      merchantId,
      notice: transactionId,
    }));
    return this.write(text, onceEach(originals), [row => row.transactionId, row => row.merchantId, row => row.notice]);
  }

  private async write<T>(text: string, rows: readonly T[], columns: readonly ((row: T) => unknown)[]): Promise<void> {
    if (rows.length === 0) return;
    await this.dataSource.query(
      text,
      columns.map(column => rows.map(column)),
    );
  }
}

/** One row can be written once per statement only; the first of several events about it counts, as it does in the table. */
function onceEach<T extends { transactionId: number }>(rows: readonly T[]): T[] {
  const byId = new Map<number, T>();
  for (const row of rows) if (!byId.has(row.transactionId)) byId.set(row.transactionId, row);
  return [...byId.values()];
}
