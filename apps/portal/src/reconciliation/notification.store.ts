import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { instantSql, type PageKey } from '../page-cursor';
import { shownRow } from '../payments/shown-row';
import type { Scope } from '../tenancy/scope';
import { type DeliveryFacts, deliveryOf, type ListedNotification } from './domain/listed-notification';

export interface NotificationFilter {
  /** ISO 8601 UTC, part of it. */
  since: string | null;
  reference: string | null;
  code: string | null;
  after: PageKey | null;
  limit: number;
}

/** A row, and the key of the page that ends with it. */
export interface FoundNotification {
  notification: ListedNotification;
  key: PageKey;
}

/**
 * A page of a merchant's final transactions, oldest first: `payment_of_merchant` backwards from the key, or the rows of a reference or a code in the order of
 * their index. `merchant_id = any($1)` would be sorted as a whole.
 */
const notificationSql = {
  list: (conditions: readonly string[], limit: string): string => `
    select p.transaction_id, p.merchant_id, p.status, p.outcome, p.reference, p.code, p.reference_transaction_id, p.completed_at,
           p.acknowledged_at, p.ack_source, (extract(epoch from p.completed_at) * 1000000)::bigint as completed_at_us
      from payment p
     where ${['p.merchant_id = $1', 'p.completed_at is not null', ...conditions].join(' and ')}
     order by p.completed_at, p.transaction_id limit ${limit}`,
} as const;

/** As it is shown, but for its status and delivery. */
type Row = Omit<ListedNotification, 'delivery'> & DeliveryFacts & { completedAtUs: string };

/** Final transactions of one merchant, oldest first. */
@Injectable()
export class NotificationStore {
  constructor(private readonly dataSource: DataSource) {}

  async list(scope: Scope, filter: NotificationFilter): Promise<FoundNotification[]> {
    const values: unknown[] = [oneOf(scope)];
    const bind = (value: unknown): string => `$${values.push(value)}`;
    const text = notificationSql.list(conditionsOf(filter, bind), bind(filter.limit));
    return (await this.dataSource.query<object[]>(text, values)).map(row => foundOf(shownRow<Row>(row)));
  }
}

function oneOf({ merchantIds }: Scope): number {
  const [merchantId, ...others] = merchantIds === 'ALL' ? [] : merchantIds;
  if (merchantId === undefined || others.length > 0) throw new Error('a list of notifications is of one merchant');
  return merchantId;
}

/** Values are bound, never written into the text. */
function conditionsOf({ since, reference, code, after }: NotificationFilter, bind: (value: unknown) => string): string[] {
  // True of every row: opens the index by time alone, where no reference or code leads to fewer rows.
  const conditions: string[] = reference === null && code === null ? ['p.transaction_id > 0'] : [];
  if (since !== null) conditions.push(`p.completed_at >= ${bind(since)}::timestamptz`);
  if (reference !== null) {
    const value = bind(reference);
    // The index holds lower case, for people who search; programs ask for a reference as it is.
    conditions.push(`lower(p.reference) = lower(${value}) and p.reference = ${value}`);
  }
  if (code !== null) conditions.push(`p.code = ${bind(code)}`);
  if (after !== null) {
    const at = instantSql(bind(after.completedAtUs));
    conditions.push(`(p.completed_at, p.transaction_id) > (${at}, ${bind(after.transactionId)}::bigint)`);
  }
  return conditions;
}

function foundOf({ completedAtUs, outcome, ackSource, ...row }: Row): FoundNotification {
  // Never SUCCESS once the reversal has begun, as getNotification.
  const status = outcome === 'REVERSED' ? 'REVERSED' : row.status;
  const notification = { ...row, status, delivery: deliveryOf({ outcome, ackSource }) };
  return { notification, key: { completedAtUs, transactionId: row.transactionId } };
}
