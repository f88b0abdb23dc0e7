import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Doing, type FailingMerchant, type KnownTransaction, type LastAnswer, OnCallReader } from '../on-call.ports';
import { onCallSql as sql } from './on-call.sql';

interface FailingRow {
  merchant_id: string;
  currency_code: string;
  failed: number;
  acknowledged: number;
  reversed_amount: string;
  pending_amount: string;
  last_failed_at: Date;
}

interface AnswerRow {
  transaction_id: string;
  completed_at: Date;
  outcome: string;
  answer: string;
  ack_elapsed_ms: number | null;
}

interface TransactionRow {
  merchant_id: string;
  kind: string | null;
  status: string | null;
  outcome: string;
  amount: string | null;
  currency_code: string | null;
  completed_at: Date | null;
  reversed_by: string | null;
}

@Injectable()
export class PostgresOnCallReader extends OnCallReader {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async failing(since: string, limit: number): Promise<FailingMerchant[]> {
    const rows = await this.dataSource.query<FailingRow[]>(sql.failing, [since, limit]);
    return rows.map(row => ({
      merchantId: Number(row.merchant_id),
      currencyCode: row.currency_code,
      failed: row.failed,
      acknowledged: row.acknowledged,
      reversedAmount: row.reversed_amount,
      pendingAmount: row.pending_amount,
      lastFailedAt: row.last_failed_at.toISOString(),
    }));
  }

  override async lastAnswers(merchantId: number): Promise<LastAnswer[]> {
    const rows = await this.dataSource.query<AnswerRow[]>(sql.lastAnswers, [merchantId]);
    return rows.map(row => ({
      transactionId: Number(row.transaction_id),
      completedAt: row.completed_at.toISOString(),
      outcome: row.outcome,
      answer: row.answer,
      elapsedMs: row.ack_elapsed_ms,
    }));
  }

  override async transaction(transactionId: number): Promise<KnownTransaction | null> {
    const [row] = await this.dataSource.query<TransactionRow[]>(sql.transaction, [transactionId]);
    if (!row) return null;
    return {
      merchantId: Number(row.merchant_id),
      kind: row.kind,
      status: row.status,
      outcome: row.outcome,
      amount: row.amount,
      currencyCode: row.currency_code,
      completedAt: row.completed_at?.toISOString() ?? null,
      reversedBy: row.reversed_by === null ? null : Number(row.reversed_by),
    };
  }

  override async doings(transactionId: number): Promise<Doing[]> {
    const rows = await this.dataSource.query<{ at: Date; person_name: string; action: string }[]>(sql.doings, [
      String(transactionId),
    ]);
    return rows.map(({ at, person_name: personName, action }) => ({ at: at.toISOString(), personName, action }));
  }
}
