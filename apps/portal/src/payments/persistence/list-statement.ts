import { reversalReasons } from '@paycode/dto';
import type { Scope } from '../../tenancy/scope';
import type { Answer } from '../domain/payment';
import type { PaymentFilter } from '../payments.ports';
import { type ListShape, readSql as sql } from './payment.sql';

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
  return { text: sql.list(shape), values };
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
  const bound = `(${bind(key.completedAt)}::timestamptz, ${bind(key.transactionId)}::bigint)`;
  return [...conditions, `(p.completed_at, p.transaction_id) ${after ? '<' : '>'} ${bound}`];
}

const isReversalReason = (answer: Answer | null) => (reversalReasons as readonly (string | null)[]).includes(answer);

const isId = (text: string) => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));

/** A payment stands in one of them only. */
function searchOf(text: string, bind: Bind): string[] {
  const value = bind(text);
  const byText = [`p.reference = ${value}`, `p.code = ${value} and p.reference <> ${value}`];
  if (!isId(text)) return byText;
  return [...byText, `p.transaction_id = ${bind(Number(text))} and p.reference <> ${value} and p.code is distinct from ${value}`];
}
