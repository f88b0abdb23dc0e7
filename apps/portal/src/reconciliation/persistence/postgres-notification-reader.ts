import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../../tenancy/scope';
import { type DeliveryFacts, deliveryOf } from '../domain/listed-notification';
import { type FoundNotification, type NotificationFilter, NotificationReader } from '../reconciliation.ports';
import { notificationSql as sql } from './notification.sql';

interface Row extends Pick<DeliveryFacts, 'outcome'> {
  transaction_id: string;
  merchant_id: string;
  status: string;
  reference: string;
  code: string | null;
  reference_transaction_id: string;
  completed_at: Date;
  acknowledged_at: Date | null;
  ack_source: DeliveryFacts['ackSource'];
  completed_at_us: string;
}

@Injectable()
export class PostgresNotificationReader extends NotificationReader {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  override async list(scope: Scope, filter: NotificationFilter): Promise<FoundNotification[]> {
    const values: unknown[] = [oneOf(scope)];
    const bind = (value: unknown): string => `$${values.push(value)}`;
    const text = sql.list(conditionsOf(filter, bind), bind(filter.limit));
    return (await this.dataSource.query<Row[]>(text, values)).map(foundOf);
  }
}

function oneOf({ merchantIds }: Scope): number {
  const [merchantId, ...others] = merchantIds === 'ALL' ? [] : merchantIds;
  if (merchantId === undefined || others.length > 0) throw new Error('a list of notifications is of one merchant');
  return merchantId;
}

/** Values are bound, never written into the text. */
function conditionsOf({ since, reference, code, after }: NotificationFilter, bind: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  if (since !== null) conditions.push(`p.completed_at >= ${bind(since)}::timestamptz`);
  if (reference !== null) conditions.push(`p.reference = ${bind(reference)}`);
  if (code !== null) conditions.push(`p.code = ${bind(code)}`);
  if (after !== null) {
    const at = sql.instant(bind(after.completedAtUs));
    conditions.push(`(p.completed_at, p.transaction_id) > (${at}, ${bind(after.transactionId)}::bigint)`);
  }
  return conditions;
}

function foundOf(row: Row): FoundNotification {
  const transactionId = Number(row.transaction_id);
  return {
    notification: {
      transactionId,
      merchantId: Number(row.merchant_id),
      // Never SUCCESS once the reversal has begun, as getNotification.
      status: row.outcome === 'REVERSED' ? 'REVERSED' : row.status,
      reference: row.reference,
      code: row.code,
      referenceTransactionId: Number(row.reference_transaction_id),
      completedAt: row.completed_at.toISOString(),
      delivery: deliveryOf({ outcome: row.outcome, ackSource: row.ack_source }),
      acknowledgedAt: row.acknowledged_at?.toISOString() ?? null,
    },
    key: { completedAtUs: row.completed_at_us, transactionId },
  };
}
