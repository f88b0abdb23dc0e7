import { Injectable } from '@nestjs/common';
import { idOf, inCurrency, type ReversalReason, reversalReasons, type TransactionKind } from '@paycode/dto';
import { DataSource } from 'typeorm';
import type { Scope } from '../tenancy/scope';
import { instantSql, type PageKey } from '../page-cursor';
import { type Answer, isContradiction, type Outcome, type Payment } from './domain/payment';

export interface PaymentFilter {
  /** Transaction id, reference or code, as a whole. */
  search: string | null;
  outcome: Outcome | null;
  status: string | null;
  answer: Answer | null;
  /** Exactly this one, a decimal; null: any. */
  amount: string | null;
  /** ISO 8601 UTC; `to` is not part of it. */
  from: string | null;
  to: string | null;
  /** The page behind this payment, older ones; null: from the newest on. */
  after: PageKey | null;
  /** The page before this payment, newer ones. At most one of the two is set. */
  before: PageKey | null;
  limit: number;
}

export interface Sum {
  outcome: Outcome;
  currencyCode: string;
  count: number;
  /** With the decimals of the currency. */
  amount: string;
}

export interface Bucket {
  at: string;
  settled: number;
  reversed: number;
  pending: number;
  /** Of answers that acknowledged, in milliseconds; null: none. */
  medianMs: number | null;
  slowestMs: number | null;
}

/** How payments ended, and what servers of merchants answered. */
export interface Answered {
  reversed: number;
  /** By HTTP 200. */
  acknowledged: number;
  /** Another status, no connection, or no answer in time. */
  failed: number;
}

const columns = `
  p.transaction_id, p.merchant_id, p.kind, p.status, p.outcome, p.completed_at, p.amount, p.currency_code, p.reference, p.code,
  p.reference_transaction_id, p.acknowledged_at, p.ack_source, p.ack_elapsed_ms, p.reversal_requested_at, p.reversal_reason, p.answer,
  p.reversed_by, p.reversal_failed_by`;

interface ListShape {
  /** `GIVEN`: those of `$1`, which is null for the two others. `EVERY`: each merchant's payments are read from its own indexes. */
  merchants: 'GIVEN' | 'EVERY' | 'TOGETHER';
  /** Conditions of payments; one that meets all of any list is found, and no payment meets two of the lists. */
  anyOf: readonly (readonly string[])[];
  limit: string;
  /** Oldest first: the page before a key. */
  isBackwards: boolean;
}

/** Values of `$1`: the merchants of the scope; null: all. */
const inScope = '($1::bigint[] is null or p.merchant_id = any($1))';

/** Opens the index over all merchants; true of every payment. */
const overAll = 'p.transaction_id > 0';

/** Each merchant by one step into the index: the work grows with merchants, not with payments. */
const everyMerchant = `
  with recursive m (merchant_id) as (
    (select p.merchant_id from payment p where $1::bigint[] is null and p.completed_at is not null order by p.merchant_id limit 1)
    union all
    select (select p.merchant_id from payment p where p.completed_at is not null and p.merchant_id > m.merchant_id
             order by p.merchant_id limit 1)
      from m where m.merchant_id is not null)`;

const readSql = {
  find: `select ${columns} from payment p where p.transaction_id = $2 and p.completed_at is not null and ${inScope}`,
  versions: `
    select p.transaction_id, concat_ws(' ', p.outcome, p.acknowledged_at, p.reversal_requested_at, p.reversed_by, p.reversal_failed_by) as version
      from payment p where p.transaction_id = any($1::bigint[])`,
  /**
   * A page behind or before a key. For several merchants each one's page is read from its index and merged: the work grows with merchants and
   * page, not with payments.
   */
  list({ merchants, anyOf, limit, isBackwards }: ListShape): string {
    const direction = isBackwards ? 'asc' : 'desc';
    const end = `order by p.completed_at ${direction}, p.transaction_id ${direction} limit ${limit}`;
    const pages = (own: string) =>
      anyOf
        .map(conditions => [own, 'p.completed_at is not null', ...conditions].join(' and '))
        .map(where => `(select * from payment p where ${where} ${end})`)
        .join(' union all ');
    if (merchants === 'TOGETHER') return `select ${columns} from (${pages(`$1::bigint[] is null and ${overAll}`)}) p ${end}`;
    const [before, from] = merchants === 'EVERY' ? [everyMerchant, 'm'] : ['', 'unnest($1::bigint[]) as m (merchant_id)'];
    return `${before} select ${columns} from ${from} cross join lateral (${pages('p.merchant_id = m.merchant_id')}) p ${end}`;
  },
  sums: `
    select p.outcome, p.currency_code, count(*)::int as count, sum(p.amount) as amount from payment p
     where ${inScope} and p.completed_at >= $2 and p.completed_at < $3 and ${overAll} and p.outcome <> 'NO_MONEY'
     group by 1, 2 order by 2, 1`,
  answers: `
    select date_bin($3 * interval '1 second', p.completed_at, $2) as at,
           count(*) filter (where p.outcome = 'SETTLED')::int as settled,
           count(*) filter (where p.outcome = 'REVERSED')::int as reversed,
           count(*) filter (where p.outcome = 'PENDING')::int as pending,
           percentile_disc(0.5) within group (order by p.ack_elapsed_ms) as median_ms,
           max(p.ack_elapsed_ms) as slowest_ms
      from payment p where ${inScope} and p.completed_at >= $2 and ${overAll} and p.outcome <> 'NO_MONEY' group by 1 order by 1`,
  answeredSince: `
    select count(*) filter (where p.outcome = 'REVERSED')::int as reversed,
           count(*) filter (where p.answer = 'HTTP_200')::int as acknowledged,
           count(*) filter (where p.answer in ('NON_200', 'CONNECTION', 'TIMEOUT'))::int as failed
      from payment p where ${inScope} and p.completed_at >= $2 and ${overAll}`,
} as const;

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

/** The read model as people ask it: never without a scope. */
@Injectable()
export class PaymentReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  async list(scope: Scope, filter: PaymentFilter): Promise<Payment[]> {
    if (isContradiction(filter)) return [];
    const { text, values } = listStatement(scope, filter);
    const payments = (await this.dataSource.query<Row[]>(text, values)).map(paymentOf);
    return filter.before === null ? payments : payments.reverse();
  }

  async find(scope: Scope, transactionId: number): Promise<Payment | undefined> {
    const [row] = await this.dataSource.query<Row[]>(readSql.find, [merchantsOf(scope), transactionId]);
    return row && paymentOf(row);
  }

  /** A text for each payment that is another once anything of it changed. Without a scope: it goes to nobody. */
  async versions(transactionIds: readonly number[]): Promise<Map<number, string>> {
    const rows = await this.dataSource.query<{ transaction_id: string; version: string }[]>(readSql.versions, [transactionIds]);
    return new Map(rows.map(row => [Number(row.transaction_id), row.version]));
  }

  /** `until`: ISO 8601 UTC, not part of it; `infinity`: up to now. */
  sums(scope: Scope, since: string, until = 'infinity'): Promise<Sum[]> {
    return this.dataSource
      .query<(Omit<Sum, 'currencyCode'> & { currency_code: string })[]>(readSql.sums, [merchantsOf(scope), since, until])
      .then(rows =>
        rows.map(({ outcome, currency_code: currencyCode, count, amount }) => ({
          outcome,
          currencyCode,
          count,
          amount: inCurrency(amount, currencyCode),
        })),
      );
  }

  async answers(scope: Scope, since: string, bucketS: number): Promise<Bucket[]> {
    interface BucketRow extends Omit<Bucket, 'at' | 'medianMs' | 'slowestMs'> {
      at: Date;
      median_ms: number | null;
      slowest_ms: number | null;
    }
    const rows = await this.dataSource.query<BucketRow[]>(readSql.answers, [merchantsOf(scope), since, bucketS]);
    return rows.map(({ at, settled, reversed, pending, median_ms: medianMs, slowest_ms: slowestMs }) => ({
      at: at.toISOString(),
      settled,
      reversed,
      pending,
      medianMs,
      slowestMs,
    }));
  }

  async answeredSince(scope: Scope, since: string): Promise<Answered> {
    const [row] = await this.dataSource.query<[Answered]>(readSql.answeredSince, [merchantsOf(scope), since]);
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
    amount: inCurrency(row.amount, row.currency_code),
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

type Bind = (value: unknown) => string;

/** The statement of a page of payments. Values are bound, never written into the text. */
export function listStatement(scope: Scope, filter: PaymentFilter): { text: string; values: unknown[] } {
  const values: unknown[] = [merchantsOf(scope)];
  const bind: Bind = value => `$${values.push(value)}`;
  const conditions = conditionsOf(filter, bind);
  const anyOf = filter.search === null ? [conditions] : searchOf(filter.search, bind).map(each => [each, ...conditions]);
  const shape = {
    merchants: merchantsRead(scope, filter),
    anyOf,
    limit: bind(filter.limit),
    isBackwards: filter.before !== null,
  };
  return { text: readSql.list(shape), values };
}

/** null: all of the platform. */
export function merchantsOf({ merchantIds }: Scope): readonly number[] | null {
  return merchantIds === 'ALL' ? null : merchantIds;
}

/** Only time has an index over all merchants: every other filter has one within a merchant. */
function merchantsRead({ merchantIds }: Scope, filter: PaymentFilter): ListShape['merchants'] {
  if (merchantIds !== 'ALL') return 'GIVEN';
  const { search, outcome, status, answer, amount } = filter;
  return [search, outcome, status, answer, amount].every(value => value === null) ? 'TOGETHER' : 'EVERY';
}

/** Each has an index that leads to it. */
function conditionsOf({ outcome, status, answer, amount, from, to, after, before }: PaymentFilter, bind: Bind): string[] {
  const given: [unknown, string, string][] = [
    [outcome, 'p.outcome =', ''],
    [status, 'p.status =', ''],
    [answer, 'p.answer =', ''],
    [amount, 'p.amount =', '::numeric'],
    [from, 'p.completed_at >=', '::timestamptz'],
    [to, 'p.completed_at <', '::timestamptz'],
  ];
  const conditions = given.flatMap(([value, is, type]) => (value === null ? [] : [`${is} ${bind(value)}${type}`]));
  // Few among the settled ones, and among those with this answer: they have an index of their own.
  if (outcome === 'SETTLED' && isReversalReason(answer)) conditions.push('p.reversal_failed_by is not null');
  const key = after ?? before;
  if (!key) return conditions;
  const bound = `(${instantSql(bind(key.completedAtUs))}, ${bind(key.transactionId)}::bigint)`;
  return [...conditions, `(p.completed_at, p.transaction_id) ${after ? '<' : '>'} ${bound}`];
}

const isReversalReason = (answer: Answer | null) => (reversalReasons as readonly (string | null)[]).includes(answer);

/** A payment stands in one of them only. */
function searchOf(text: string, bind: Bind): string[] {
  const value = bind(text);
  const byText = [`p.reference = ${value}`, `p.code = ${value} and p.reference <> ${value}`];
  const id = idOf(text);
  if (id === undefined) return byText;
  return [...byText, `p.transaction_id = ${bind(id)} and p.reference <> ${value} and p.code is distinct from ${value}`];
}
