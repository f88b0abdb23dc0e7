import { Injectable } from '@nestjs/common';
import { idOf, reversalReasons } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { instantSql, type PageKey } from '../page-cursor';
import type { Scope } from '../tenancy/scope';
import { type Answer, isContradiction, type Outcome, type Payment, type WantedOutcome } from './domain/payment';
import { shownRow } from './shown-row';

/** Result of a search: the payments whose id, reference or code begins so, or, where too many do, the text that one of them is as a whole. */
export type Search = { transactionIds: readonly string[] } | { whole: string };

export interface PaymentFilter {
  search: Search | null;
  outcome: WantedOutcome | null;
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
  /** Reversals and refunds stand as rows of their own, too, and not in their payment only. */
  hasNotices: boolean;
  limit: number;
}

/** Of payments that end alike in one currency. */
export interface Total extends Sum {
  /** Those of which a part was refunded, and this part. */
  refunded: number;
  refundedAmount: string;
}

export interface Sum {
  outcome: Outcome;
  currencyCode: string;
  count: number;
  /** With the decimals of the currency. */
  amount: string;
}

const columns = `
  p.transaction_id, p.merchant_id, p.kind, p.status, p.outcome, p.completed_at, p.amount, p.currency_code, p.reference, p.code,
  p.reference_transaction_id, p.acknowledged_at, p.ack_source, p.ack_elapsed_ms, p.reversal_requested_at, p.reversal_reason, p.answer,
  p.reversed_by, p.reversal_failed_by`;

/** Of a payment's refunds, whatever their number; null: it has none. */
const refundOf = (value: string) => `
  case when p.refunded_by is not null then
    (select ${value} from payment r where r.reference_transaction_id = p.transaction_id and r.reference_transaction_id > 0
        and r.kind = 'REFUND' and r.status = 'REFUNDED') end`;

/** A line of the list: with what its notices say. */
const line = `${columns}, ${refundOf('sum(r.amount)')} as refunded_amount, ${refundOf('max(r.completed_at)')} as refunded_at,
  (select r.completed_at from payment r where r.transaction_id = p.reversed_by) as returned_at`;

interface ListShape {
  /**
   * `GIVEN`: those of `$1`, which is null for the two others. `EVERY`: each merchant's payments are read from its own indexes. `FOUND`: the ids
   * of the payments are known.
   */
  merchants: 'GIVEN' | 'EVERY' | 'TOGETHER' | 'FOUND';
  /** Conditions of payments; one that meets all of any list is found, and no payment meets two of the lists. */
  anyOf: readonly (readonly string[])[];
  limit: string;
  /** Oldest first: the page before a key. */
  isBackwards: boolean;
  /** More merchants than the page has rows. */
  isOfMany: boolean;
}

/** Values of `$1`: the merchants of the scope; null: all. */
export const inScope = '($1::bigint[] is null or p.merchant_id = any($1))';

/** Opens the indexes by time alone, of a merchant and of all of them; true of every row. To the planner these look cheap beside any filter. */
export const overAll = 'p.transaction_id > 0';

/** Both are true of each line of the list, and of no notice, which refers to its payment. The first opens the indexes of lines by time alone. */
const isPurchase = `p.kind = 'PURCHASE'`;
const isNoNotice = 'p.reference_transaction_id = 0';

/** Each merchant by one step into the index: the work grows with merchants, not with payments. */
const everyMerchant = `
  with recursive m (merchant_id) as (
    (select p.merchant_id from payment p where $1::bigint[] is null and p.completed_at is not null and ${overAll} order by p.merchant_id limit 1)
    union all
    select (select p.merchant_id from payment p where p.completed_at is not null and ${overAll}
                and p.merchant_id > m.merchant_id order by p.merchant_id limit 1)
      from m where m.merchant_id is not null)`;

const readSql = {
  find: `select ${line} from payment p where p.transaction_id = $2 and p.completed_at is not null and ${inScope}`,
  /** Reversals first: they are few. */
  noticesOf: `
    select ${line} from payment p
     where p.reference_transaction_id = $2 and p.reference_transaction_id > 0 and p.completed_at is not null and ${inScope}
     order by p.kind desc, p.completed_at, p.transaction_id limit $3`,
  versions: `
    select p.transaction_id,
           concat_ws(' ', p.outcome, p.acknowledged_at, p.reversal_requested_at, p.reversed_by, p.reversal_failed_by, p.refunded_by) as version
      from payment p where p.transaction_id = any($1::bigint[])`,
  /** Each merchant's from its own indexes, at most `$3` of all. A notice leads to its payment by its whole id. */
  beginning(merchants: ListShape['merchants'], hasId: boolean): string {
    const begins = (text: string) => `${text} ~>=~ lower($2) and ${text} ~<~ (lower($2) || chr(1114111))`;
    const found = ['lower(p.reference)', 'p.code', 'p.transaction_id::text'].map(text => {
      const own = 'p.merchant_id = m.merchant_id and p.completed_at is not null';
      return `(select p.transaction_id from payment p where ${own} and ${begins(text)} limit $3)`;
    });
    const ofNotice = `select n.reference_transaction_id from payment n where n.transaction_id = $4 and n.merchant_id = m.merchant_id`;
    const all = [...found, ...(hasId ? [ofNotice] : [])].join(' union all ');
    return `${fromMerchants(merchants, 'f.transaction_id')} (${all}) f limit $3`;
  },
  /**
   * A page behind or before a key. For several merchants each one's page is read from its index and merged: the work grows with merchants and
   * page, not with payments. Of many, the first payment of each tells how far the page reaches at most, so that few others are read.
   */
  list({ merchants, anyOf, limit, isBackwards, isOfMany }: ListShape): string {
    const direction = isBackwards ? 'asc' : 'desc';
    const order = `order by p.completed_at ${direction}, p.transaction_id ${direction}`;
    const end = `${order} limit ${limit}`;
    if (merchants !== 'GIVEN' || !isOfMany) return `${rowsOf({ merchants, anyOf, end, shown: line })} ${end}`;
    const first = rowsOf({ merchants, anyOf, end: `${order} limit 1`, shown: 'p.completed_at' });
    const reach = `(select f.completed_at from (${first}) f order by f.completed_at ${direction} offset ${limit} - 1 limit 1)`;
    const isWithin = `p.completed_at ${isBackwards ? '<=' : '>='} coalesce(${reach}, '${isBackwards ? '' : '-'}infinity')`;
    const within = anyOf.map(conditions => [...conditions, isWithin]);
    return `${rowsOf({ merchants, anyOf: within, end, shown: line })} ${end}`;
  },
  /** In no order: the first that are found count, and reading ends with them. */
  totals: ({ merchants, anyOf, limit }: ListShape): string => `
    select p.outcome, p.currency_code, count(*)::int as count, sum(p.amount) as amount, count(p.refunded_by)::int as refunded,
           coalesce(sum(p.refunded_amount), 0) as refunded_amount
      from (select p.*, ${refundOf('sum(r.amount)')} as refunded_amount
              from (${rowsOf({ merchants, anyOf, end: `limit ${limit}`, shown: 'p.*' })} limit ${limit}) p) p
     group by 1, 2 order by 2, 1`,
} as const;

function fromMerchants(merchants: ListShape['merchants'], shown: string): string {
  const [before, from] = merchants === 'EVERY' ? [everyMerchant, 'm'] : ['', 'unnest($1::bigint[]) as m (merchant_id)'];
  return `${before} select ${shown} from ${from} cross join lateral`;
}

function rowsOf({
  merchants,
  anyOf,
  end,
  shown,
}: Pick<ListShape, 'merchants' | 'anyOf'> & { end: string; shown: string }): string {
  const pages = (own: string) =>
    anyOf
      .map(conditions => [own, 'p.completed_at is not null', ...conditions].join(' and '))
      .map(where => `(select * from payment p where ${where} ${end})`)
      .join(' union all ');
  if (merchants === 'FOUND') return `select ${shown} from (${pages(inScope)}) p`;
  if (merchants === 'TOGETHER') return `select ${shown} from (${pages(`$1::bigint[] is null and ${overAll}`)}) p`;
  return `${fromMerchants(merchants, shown)} (${pages('p.merchant_id = m.merchant_id')}) p`;
}

/** Ids that a search may find by their beginning; a text that more payments begin with is looked for as a whole. */
export const foundMax = 5_000;
/** Payments that are added up. */
export const totalsMax = 5_000;
/** Notices of one payment that are shown. */
const noticesMax = 50;

/** The read model as people ask it: never without a scope. */
@Injectable()
export class PaymentReader {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. */
  async list(scope: Scope, filter: PaymentFilter): Promise<Payment[]> {
    if (isContradiction(filter)) return [];
    const { text, values } = listStatement(scope, filter);
    const payments = (await this.dataSource.query<object[]>(text, values)).map(shownRow<Payment>);
    return filter.before === null ? payments : payments.reverse();
  }

  async searchFor(scope: Scope, text: string): Promise<Search> {
    const id = idOf(text);
    const merchants = scope.merchantIds === 'ALL' ? 'EVERY' : 'GIVEN';
    const values = [merchantsOf(scope), text, foundMax + 1, ...(id === undefined ? [] : [id])];
    const rows = await this.dataSource.query<{ transaction_id: string }[]>(
      readSql.beginning(merchants, id !== undefined),
      values,
    );
    if (rows.length > foundMax) return { whole: text };
    return { transactionIds: rows.map(({ transaction_id }) => transaction_id) };
  }

  /** Of at most 5,001 payments that match: where the counts add up to this, there are more. */
  async totals(scope: Scope, filter: PaymentFilter): Promise<Total[]> {
    if (isContradiction(filter)) return [];
    const { text, values } = statementOf(scope, { ...filter, limit: totalsMax + 1 }, readSql.totals);
    return (await this.dataSource.query<object[]>(text, values)).map(shownRow<Total>);
  }

  /** Reversals and refunds of a payment, at most 50. */
  async noticesOf(scope: Scope, transactionId: number): Promise<Payment[]> {
    const values = [merchantsOf(scope), transactionId, noticesMax];
    return (await this.dataSource.query<object[]>(readSql.noticesOf, values)).map(shownRow<Payment>);
  }

  async find(scope: Scope, transactionId: number): Promise<Payment | undefined> {
    const [row] = await this.dataSource.query<object[]>(readSql.find, [merchantsOf(scope), transactionId]);
    return row && shownRow<Payment>(row);
  }

  /** A text for each payment that is another once anything of it changed. Without a scope: it goes to nobody. */
  async versions(transactionIds: readonly number[]): Promise<Map<number, string>> {
    const rows = await this.dataSource.query<{ transaction_id: string; version: string }[]>(readSql.versions, [transactionIds]);
    return new Map(rows.map(row => [Number(row.transaction_id), row.version]));
  }
}

type Bind = (value: unknown) => string;

/** The statement of a page of payments. Values are bound, never written into the text. */
export function listStatement(scope: Scope, filter: PaymentFilter): { text: string; values: unknown[] } {
  return statementOf(scope, filter, readSql.list);
}

function statementOf(scope: Scope, filter: PaymentFilter, statement: (shape: ListShape) => string) {
  const values: unknown[] = [merchantsOf(scope)];
  const bind: Bind = value => `$${values.push(value)}`;
  const conditions = conditionsOf(filter, bind);
  const shape = {
    merchants: merchantsRead(scope, filter),
    anyOf: filter.search === null ? [conditions] : searchOf(filter.search, bind).map(each => [each, ...conditions]),
    limit: bind(filter.limit),
    isBackwards: filter.before !== null,
    isOfMany: scope.merchantIds.length > filter.limit,
  };
  return { text: statement(shape), values };
}

/** null: all of the platform. */
export function merchantsOf({ merchantIds }: Scope): readonly number[] | null {
  return merchantIds === 'ALL' ? null : merchantIds;
}

/** Only time has an index over all merchants: every other filter has one within a merchant. */
function merchantsRead({ merchantIds }: Scope, filter: PaymentFilter): ListShape['merchants'] {
  if (filter.search !== null && 'transactionIds' in filter.search) return 'FOUND';
  if (merchantIds !== 'ALL') return 'GIVEN';
  return isByTimeAlone(filter) ? 'TOGETHER' : 'EVERY';
}

function isByTimeAlone({ search, outcome, status, answer, amount }: PaymentFilter): boolean {
  return [search, outcome, status, answer, amount].every(value => value === null);
}

/** Each has an index that leads to it. */
function conditionsOf(filter: PaymentFilter, bind: Bind): string[] {
  const { outcome, status, answer, amount, from, to } = filter;
  const isRefunded = outcome === 'REFUNDED';
  const given: [unknown, string, string][] = [
    [isRefunded ? null : outcome, 'p.outcome =', ''],
    [status, 'p.status =', ''],
    [answer, 'p.answer =', ''],
    [amount, 'p.amount =', '::numeric'],
    [from, 'p.completed_at >=', '::timestamptz'],
    [to, 'p.completed_at <', '::timestamptz'],
  ];
  const conditions = given.flatMap(([value, is, type]) => (value === null ? [] : [`${is} ${bind(value)}${type}`]));
  if (isRefunded) conditions.push('p.refunded_by is not null');
  const [every, eachLine] = isByTimeAlone(filter) ? [overAll, isPurchase] : ['true', isNoNotice];
  conditions.push(filter.hasNotices ? every : eachLine);
  // Few among the settled ones, and among those with this answer: they have an index of their own.
  if (outcome === 'SETTLED' && isReversalReason(answer)) conditions.push('p.reversal_failed_by is not null');
  return [...conditions, ...pageConditions(filter, bind)];
}

function pageConditions({ after, before }: PaymentFilter, bind: Bind): string[] {
  const key = after ?? before;
  if (!key) return [];
  const bound = `(${instantSql(bind(key.completedAtUs))}, ${bind(key.transactionId)}::bigint)`;
  return [`(p.completed_at, p.transaction_id) ${after ? '<' : '>'} ${bound}`];
}

const isReversalReason = (answer: Answer | null) => (reversalReasons as readonly (string | null)[]).includes(answer);

/** A payment stands in one of them only. */
function searchOf(search: Search, bind: Bind): string[] {
  if ('transactionIds' in search) return [`p.transaction_id = any(${bind(search.transactionIds)}::bigint[])`];
  const value = bind(search.whole);
  const isReference = `lower(p.reference) = lower(${value})`;
  const byText = [isReference, `p.code = ${value} and not ${isReference}`];
  const id = idOf(search.whole);
  if (id === undefined) return byText;
  return [...byText, `p.transaction_id = ${bind(id)} and not ${isReference} and p.code is distinct from ${value}`];
}
