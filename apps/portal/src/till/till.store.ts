import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Outcome } from '../payments/domain/payment';
import { shownRow } from '../payments/shown-row';

export interface CodePayment {
  transactionId: number;
  outcome: Outcome;
  status: string;
  completedAt: string;
  /** With the tip. */
  amount: string;
  currencyCode: string;
}

/** A code for many customers may have any number of payments: a till looks at the latest. */
const paymentsMax = 5;

const tillSql = {
  // By the index payment_code.
  latest: `
    select p.transaction_id, p.outcome, p.status, p.completed_at, p.amount, p.currency_code from payment p
     where p.merchant_id = $1 and p.code = $2 and p.completed_at is not null and p.kind = 'PURCHASE'
     order by p.completed_at desc, p.transaction_id desc limit $3`,
} as const;

/** Payments of one code of one merchant, in the read model. */
@Injectable()
export class TillStore {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest first, at most five. */
  async latest(merchantId: number, code: string): Promise<CodePayment[]> {
    const rows = await this.dataSource.query<object[]>(tillSql.latest, [merchantId, code, paymentsMax]);
    return rows.map(shownRow<CodePayment>);
  }
}
