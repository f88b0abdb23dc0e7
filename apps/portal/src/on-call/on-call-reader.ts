import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Answer, Outcome } from '../payments/domain/payment';
import { shownRow } from '../payments/shown-row';
import type { FailingOfMerchant } from './domain/on-call';

/** Fields of a transaction that the portal has from its events; none is about the payer. */
export interface KnownTransaction {
  merchantId: number;
  kind: string | null;
  status: string | null;
  outcome: Outcome;
  amount: string | null;
  currencyCode: string | null;
  completedAt: string | null;
  reversedBy: number | null;
}

/** An action of a person on a transaction in the portal. */
export interface Doing {
  at: string;
  personName: string;
  action: string;
}

/** How a merchant's receiver answered to one payment. */
export interface LastAnswer {
  transactionId: number;
  completedAt: string;
  outcome: Outcome;
  answer: Answer;
  /** null: there was no acknowledgement to measure. */
  elapsedMs: number | null;
}

/** Statements of people on call, over all merchants. */
const onCallSql = {
  // One hour of the index over all merchants. An amount is at risk while it is undecided, and lost to the merchant once it is reversed.
  failing: `
    select p.merchant_id, p.currency_code,
           count(*) filter (where p.outcome = 'REVERSED')::int as failed,
           count(*) filter (where p.outcome = 'SETTLED')::int as acknowledged,
           coalesce(sum(p.amount) filter (where p.outcome = 'REVERSED'), 0) as reversed_amount,
           coalesce(sum(p.amount) filter (where p.outcome = 'PENDING'), 0) as pending_amount,
           max(p.completed_at) filter (where p.outcome = 'REVERSED') as last_failed_at
      from payment p
     where p.completed_at >= $1 and p.completed_at is not null and p.transaction_id > 0 and p.outcome <> 'NO_MONEY'
     group by 1, 2
    having count(*) filter (where p.answer in ('NON_200', 'CONNECTION', 'TIMEOUT', 'NEVER_SENT', 'BACKSTOP')) > 0
     order by sum(p.amount) filter (where p.outcome in ('REVERSED', 'PENDING')) desc, 1 limit $2`,

  // Notices have no answer here: the payments among the latest transactions, which one step into the index of the merchant finds.
  lastAnswers: `
    select p.transaction_id, p.completed_at, p.outcome, p.answer, p.ack_elapsed_ms as elapsed_ms
      from (select * from payment p where p.merchant_id = $1 and p.completed_at is not null
             order by p.completed_at desc, p.transaction_id desc limit 200) p
     where p.answer is not null order by p.completed_at desc, p.transaction_id desc limit 10`,

  transaction: `
    select merchant_id, kind, status, outcome, amount, currency_code, completed_at, reversed_by
      from payment where transaction_id = $1`,

  // The log has no index by transaction: its latest entries are read, which is what somebody on call has just done.
  doings: `
    select a.at, a.person_name, a.action
      from (select * from audit_event order by audit_event_id desc limit 10000) a
     where a.detail ->> 'transactionId' = $1 order by a.audit_event_id desc limit 20`,
} as const;

@Injectable()
export class OnCallReader {
  constructor(private readonly dataSource: DataSource) {}

  async failing(since: string, limit: number): Promise<FailingOfMerchant[]> {
    return (await this.dataSource.query<object[]>(onCallSql.failing, [since, limit])).map(shownRow<FailingOfMerchant>);
  }

  /** The newest first, among the merchant's latest transactions. */
  async lastAnswers(merchantId: number): Promise<LastAnswer[]> {
    return (await this.dataSource.query<object[]>(onCallSql.lastAnswers, [merchantId])).map(shownRow<LastAnswer>);
  }

  async transaction(transactionId: number): Promise<KnownTransaction | null> {
    const [row] = await this.dataSource.query<object[]>(onCallSql.transaction, [transactionId]);
    return row ? shownRow<KnownTransaction>(row) : null;
  }

  /** The newest first, among the latest entries of the audit log. */
  async doings(transactionId: number): Promise<Doing[]> {
    return (await this.dataSource.query<object[]>(onCallSql.doings, [String(transactionId)])).map(shownRow<Doing>);
  }
}
