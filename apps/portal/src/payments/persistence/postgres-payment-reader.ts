import { Injectable } from '@nestjs/common';
import type { ReversalReason, TransactionKind } from '@paycode/dto';
import { DataSource } from 'typeorm';
import type { Scope } from '../../tenancy/scope';
import { isContradiction } from '../domain/contradiction';
import type { Answer, Outcome, Payment } from '../domain/payment';
import { type Answered, type Bucket, type PaymentFilter, PaymentReader, type Sum } from '../payments.ports';
import { listStatement, merchantsOf } from './list-statement';
import { readSql as sql } from './payment.sql';

interface Row {
  transaction_id: string;
  merchant_id: string;
  kind: TransactionKind;
  status: string;
  outcome: Outcome;
  completed_at: Date;
  amount: string;
  currency_code: string;
  reference: string;
  code: string | null;
  reference_transaction_id: string;
  acknowledged_at: Date | null;
  ack_source: 'WEBHOOK' | 'RECOVERY' | null;
  ack_elapsed_ms: number | null;
  reversal_requested_at: Date | null;
  reversal_reason: ReversalReason | null;
  answer: Answer | null;
  reversed_by: string | null;
  reversal_failed_by: string | null;
}

@Injectable()
export class PostgresPaymentReader extends PaymentReader {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async list(scope: Scope, filter: PaymentFilter): Promise<Payment[]> {
    if (isContradiction(filter)) return [];
    const { text, values } = listStatement(scope, filter);
    const payments = (await this.dataSource.query<Row[]>(text, values)).map(paymentOf);
    return filter.before === null ? payments : payments.reverse();
  }

  override async find(scope: Scope, transactionId: number): Promise<Payment | undefined> {
    const [row] = await this.dataSource.query<Row[]>(sql.find, [merchantsOf(scope), transactionId]);
    return row && paymentOf(row);
  }

  override async versions(transactionIds: readonly number[]): Promise<Map<number, string>> {
    const rows = await this.dataSource.query<{ transaction_id: string; version: string }[]>(sql.versions, [transactionIds]);
    return new Map(rows.map(row => [Number(row.transaction_id), row.version]));
  }

  override sums(scope: Scope, since: string): Promise<Sum[]> {
    return this.dataSource
      .query<(Omit<Sum, 'currencyCode'> & { currency_code: string })[]>(sql.sums, [merchantsOf(scope), since])
      .then(rows =>
        rows.map(({ outcome, currency_code: currencyCode, count, amount }) => ({ outcome, currencyCode, count, amount })),
      );
  }

  override async answers(scope: Scope, since: string, bucketS: number): Promise<Bucket[]> {
    interface BucketRow extends Omit<Bucket, 'at' | 'medianMs' | 'slowestMs'> {
      at: Date;
      median_ms: number | null;
      slowest_ms: number | null;
    }
    const rows = await this.dataSource.query<BucketRow[]>(sql.answers, [merchantsOf(scope), since, bucketS]);
    return rows.map(({ at, settled, reversed, pending, median_ms: medianMs, slowest_ms: slowestMs }) => ({
      at: at.toISOString(),
      settled,
      reversed,
      pending,
      medianMs,
      slowestMs,
    }));
  }

  override async answeredSince(scope: Scope, since: string): Promise<Answered> {
    const [row] = await this.dataSource.query<[Answered]>(sql.answeredSince, [merchantsOf(scope), since]);
    return row;
  }
}

function paymentOf(row: Row): Payment {
  return {
    transactionId: Number(row.transaction_id),
    merchantId: Number(row.merchant_id),
    kind: row.kind,
    status: row.status,
    outcome: row.outcome,
    completedAt: row.completed_at.toISOString(),
    amount: row.amount,
    currencyCode: row.currency_code,
    reference: row.reference,
    code: row.code,
    referenceTransactionId: Number(row.reference_transaction_id),
    acknowledgedAt: row.acknowledged_at?.toISOString() ?? null,
    ackSource: row.ack_source,
    ackElapsedMs: row.ack_elapsed_ms,
    reversalRequestedAt: row.reversal_requested_at?.toISOString() ?? null,
    reversalReason: row.reversal_reason,
    answer: row.answer,
    reversedBy: row.reversed_by === null ? null : Number(row.reversed_by),
    reversalFailedBy: row.reversal_failed_by === null ? null : Number(row.reversal_failed_by),
  };
}
