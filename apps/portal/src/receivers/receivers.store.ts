import { Injectable } from '@nestjs/common';
import { inCurrency } from '@paycode/dto';
import { DataSource } from 'typeorm';
import type { Answer } from '../payments/domain/payment';
import type { MerchantPeople } from '../people/domain/person';
import type { Scope } from '../tenancy/scope';

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

const receiversSql = {
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
             where ($1::bigint[] is null or p.merchant_id = any($1)) and p.completed_at >= $2 and p.transaction_id > 0
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
} as const;

interface Row {
  merchant_id: string;
  currency_code: string;
  reversed: number;
  reversed_amount: string;
  last_hour_amount: string;
  acknowledged: number;
  failed: number;
  good_at: Date | null;
  bad_at: Date;
  bad_answer: Answer;
  since: Date | null;
}

/** The read model as the owner of many merchants asks it. */
@Injectable()
export class ReceiversStore {
  constructor(private readonly dataSource: DataSource) {}

  /** The most money first, whatever the currency. Instants: ISO 8601 UTC. */
  async failing(
    { merchantIds }: Scope,
    { dayBeganAt, hourBeganAt }: { dayBeganAt: string; hourBeganAt: string },
    limit: number,
  ): Promise<FailureInCurrency[]> {
    const scoped = merchantIds === 'ALL' ? null : merchantIds;
    const rows = await this.dataSource.query<Row[]>(receiversSql.failing, [scoped, dayBeganAt, hourBeganAt, limit]);
    return rows.map(row => {
      const isFailing = row.good_at === null || row.good_at < row.bad_at;
      return {
        merchantId: Number(row.merchant_id),
        currencyCode: row.currency_code,
        reversed: row.reversed,
        reversedAmount: inCurrency(row.reversed_amount, row.currency_code),
        lastHourAmount: inCurrency(row.last_hour_amount, row.currency_code),
        acknowledged: row.acknowledged,
        failed: row.failed,
        lastAnswer: isFailing ? row.bad_answer : 'HTTP_200',
        lastAnswerAt: (isFailing ? row.bad_at : row.good_at!).toISOString(),
        failingSince: isFailing ? (row.since ?? row.bad_at).toISOString() : null,
      };
    });
  }

  async people(merchantId: number): Promise<MerchantPeople> {
    const [row] = await this.dataSource.query<[MerchantPeople]>(receiversSql.people, [String(merchantId)]);
    return row;
  }
}
