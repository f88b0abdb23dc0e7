import { Injectable } from '@nestjs/common';
import type { AckReceived, ReversalRequested } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { PaymentWriter, type TerminalFacts } from '../payments.ports';
import { writeSql as sql } from './payment.sql';

@Injectable()
export class PostgresPaymentWriter extends PaymentWriter {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async terminals(facts: readonly TerminalFacts[]): Promise<void> {
    const each = onceEach(facts);
    await this.write(sql.terminals, each, [
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
    ]);
    const reversals = each.filter(({ kind, referenceTransactionId }) => kind === 'REVERSAL' && referenceTransactionId > 0);
    // Any other status says that the money was not given back.
    const [succeeded, failed] = [true, false].map(is => reversals.filter(({ status }) => (status === 'REVERSED') === is));
    await this.reversalsOf(sql.reversedBy, succeeded!);
    await this.reversalsOf(sql.reversalFailedBy, failed!);
  }

  override acks(acks: readonly AckReceived[]): Promise<void> {
    return this.write(sql.acks, onceEach(acks), [
      ack => ack.transactionId,
      ack => ack.merchantId,
      ack => ack.acknowledgedAt,
      ack => ack.source,
      ack => ack.elapsedMs,
    ]);
  }

  override reversals(reversals: readonly ReversalRequested[]): Promise<void> {
    return this.write(sql.reversals, onceEach(reversals), [
      reversal => reversal.transactionId,
      reversal => reversal.merchantId,
      reversal => reversal.requestedAt,
      reversal => reversal.reason,
    ]);
  }

  /** Writes which reversal refers to a payment into the row of the payment. */
  private reversalsOf(text: string, reversals: readonly TerminalFacts[]): Promise<void> {
    const originals = reversals.map(({ transactionId, merchantId, referenceTransactionId }) => ({
      transactionId: referenceTransactionId,
      merchantId,
      reversal: transactionId,
    }));
    return this.write(text, onceEach(originals), [row => row.transactionId, row => row.merchantId, row => row.reversal]);
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
