import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Answer } from '../payments/domain/payment';
import { inScope, merchantsOf, overAll, type Sum } from '../payments/payment-reader';
import { shownRow } from '../payments/shown-row';
import type { MerchantPeople } from '../people/domain/person';
import type { Scope } from '../tenancy/scope';

export interface Bucket {
  at: string;
  settled: number;
  reversed: number;
  pending: number;
  /** Of answers that acknowledged, in milliseconds; null: none. */
  medianMs: number | null;
  slowestMs: number | null;
}

/** Payments of one currency that were reversed for the same answer. */
export interface Lost extends Omit<Sum, 'outcome'> {
  /** null: the payment network gave the money back by itself. */
  answer: Answer | null;
  /** The newest of them. */
  transactionId: number;
  /** When the first and the last of them were paid. */
  firstAt: string;
  lastAt: string;
}

/** A merchant whose server did not acknowledge payments, and what that cost it, in one currency. */
export interface FailureInCurrency {
  merchantId: number;
  currencyCode: string;
  reversed: number;
  /** With the decimals of the currency. */
  reversedAmount: string;
  /** Of the payments of the last hour, whatever became of them. */
  lastHourAmount: string;
  /** By HTTP 200. */
  acknowledged: number;
  /** Another status, no connection, no answer in time, or none asked for. */
  failed: number;
  lastAnswer: Answer;
  lastAnswerAt: string;
  /** First payment that was reversed after the last one that was acknowledged; null: the last one was acknowledged. */
  failingSince: string | null;
}

const failures = `('NON_200', 'CONNECTION', 'TIMEOUT', 'NEVER_SENT', 'BACKSTOP')`;
const latest = (condition: string) => `
  select p.completed_at, p.answer from payment p where p.merchant_id = f.merchant_id and p.completed_at is not null and ${condition}
   order by p.completed_at desc, p.transaction_id desc limit 1`;

const homeSql = {
  // The payments of the day by payment_of_merchant; then, of each merchant that is answered, three steps into its indexes.
  failing: `
    select f.*, good.completed_at as good_at, bad.completed_at as bad_at, bad.answer as bad_answer, since.completed_at as since
      from (select p.merchant_id, p.currency_code,
                   count(*) filter (where p.outcome = 'REVERSED')::int as reversed,
                   coalesce(sum(p.amount) filter (where p.outcome = 'REVERSED'), 0) as reversed_amount,
                   coalesce(sum(p.amount) filter (where p.completed_at >= $3), 0) as last_hour_amount,
                   count(*) filter (where p.answer = 'HTTP_200')::int as acknowledged,
                   count(*) filter (where p.answer in ${failures})::int as failed
              from payment p
             where ${inScope} and p.completed_at >= $2 and ${overAll}
               and p.outcome <> 'NO_MONEY'
             group by 1, 2
            having count(*) filter (where p.answer in ${failures}) > 0
             order by 4 desc, 1 limit $4) f
      left join lateral (${latest(`p.answer = 'HTTP_200'`)}) good on true
      join lateral (${latest(`p.outcome = 'REVERSED' and p.answer in ${failures}`)}) bad on true
      left join lateral (
        select p.completed_at from payment p
         where p.merchant_id = f.merchant_id and p.outcome = 'REVERSED' and p.completed_at > coalesce(good.completed_at, '-infinity')
         order by p.completed_at, p.transaction_id limit 1) since on true
     order by f.reversed_amount desc, f.merchant_id`,

  people: `
    select count(*) filter (where accepted_at is not null and role = 'OWNER')::int as owners,
           count(*) filter (where accepted_at is not null and role <> 'OWNER')::int as others,
           count(*) filter (where accepted_at is null)::int as invited
      from person where tenant_type = 'MERCHANT' and tenant_id = $1`,

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
  lost: `
    select p.answer, p.currency_code, count(*)::int as count, sum(p.amount) as amount, max(p.transaction_id) as transaction_id,
           min(p.completed_at) as first_at, max(p.completed_at) as last_at
      from payment p where ${inScope} and p.completed_at >= $2 and ${overAll} and p.outcome = 'REVERSED'
     group by 1, 2 order by 3 desc, 2, 1`,
} as const;

/** The read model as the pages of today ask it. */
@Injectable()
export class HomeReader {
  constructor(private readonly dataSource: DataSource) {}

  /** The most money first, whatever the currency. Instants: ISO 8601 UTC. */
  async failing(
    scope: Scope,
    { dayBeganAt, hourBeganAt }: { dayBeganAt: string; hourBeganAt: string },
    limit: number,
  ): Promise<FailureInCurrency[]> {
    type Row = FailureInCurrency & { goodAt: string | null; badAt: string; badAnswer: Answer; since: string | null };
    const values = [merchantsOf(scope), dayBeganAt, hourBeganAt, limit];
    const rows = (await this.dataSource.query<object[]>(homeSql.failing, values)).map(shownRow<Row>);
    return rows.map(({ goodAt, badAt, badAnswer, since, ...row }) =>
      goodAt === null || goodAt < badAt
        ? { ...row, lastAnswer: badAnswer, lastAnswerAt: badAt, failingSince: since ?? badAt }
        : { ...row, lastAnswer: 'HTTP_200', lastAnswerAt: goodAt, failingSince: null },
    );
  }

  async people(merchantId: number): Promise<MerchantPeople> {
    const [row] = await this.dataSource.query<[MerchantPeople]>(homeSql.people, [String(merchantId)]);
    return row;
  }

  /** `until`: ISO 8601 UTC, not part of it; `infinity`: up to now. */
  async sums(scope: Scope, since: string, until = 'infinity'): Promise<Sum[]> {
    const rows = await this.dataSource.query<object[]>(homeSql.sums, [merchantsOf(scope), since, until]);
    return rows.map(shownRow<Sum>);
  }

  async answers(scope: Scope, since: string, bucketS: number): Promise<Bucket[]> {
    const rows = await this.dataSource.query<object[]>(homeSql.answers, [merchantsOf(scope), since, bucketS]);
    return rows.map(shownRow<Bucket>);
  }

  /** Those that most payments were reversed for come first. */
  async lost(scope: Scope, since: string): Promise<Lost[]> {
    const rows = await this.dataSource.query<object[]>(homeSql.lost, [merchantsOf(scope), since]);
    return rows.map(shownRow<Lost>);
  }
}
