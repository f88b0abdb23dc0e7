import { Injectable } from '@nestjs/common';
import { inCurrency } from '@paycode/dto';
import { DataSource } from 'typeorm';
import type { Period, StatementPart, StatementSums } from './domain/statement';

export interface StoredLine extends StatementSums {
  merchantId: number;
  /** Place in the parts of the period, from 0. */
  part: number;
}

const counted = (name: string, where: string) =>
  `count(*) filter (where ${where})::int as ${name}, coalesce(sum(p.amount) filter (where ${where}), 0) as ${name}_amount`;

export const statementSql = {
  /**
   * By the index payment_of_merchant: the payments of the period are read once. The rows without a merchant are the totals, which the
   * database sums itself.
   */
  lines: `
    select width_bucket(p.completed_at, $3::timestamptz[]) - 1 as part, p.merchant_id, p.currency_code,
           ${counted('paid', "p.outcome <> 'NO_MONEY'")}, ${counted('settled', "p.outcome = 'SETTLED'")},
           ${counted('reversed', "p.outcome = 'REVERSED'")}, ${counted('waiting', "p.outcome = 'PENDING'")},
           ${counted('refunded', "p.kind = 'REFUND'")},
           coalesce(sum(p.tip_amount) filter (where p.outcome = 'SETTLED'), 0) as tips
      from payment p
     where p.merchant_id = any($1::bigint[]) and p.completed_at >= ($3::timestamptz[])[1] and p.completed_at < $2
       and p.transaction_id > 0
       and (p.outcome <> 'NO_MONEY' or (p.kind = 'REFUND' and p.status = 'REFUNDED'))
     group by grouping sets ((1, p.merchant_id, p.currency_code), (p.currency_code))
     order by p.merchant_id nulls first, 1, p.currency_code limit $4`,
} as const;

type Counted = 'paid' | 'settled' | 'reversed' | 'waiting' | 'refunded';
type Row = { part: number | null; merchant_id: string | null; currency_code: string; tips: string } & Record<Counted, number> &
  Record<`${Counted}_amount`, string>;

/** The read model as an accountant asks it. */
@Injectable()
export class StatementStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Lines by merchant, part and currency, and totals by currency; at most `rowsMax` of both together. */
  async read(
    merchantIds: readonly number[],
    { parts, endsAt }: Period,
    rowsMax: number,
  ): Promise<{ lines: StoredLine[]; totals: StatementSums[] }> {
    const begins = parts.map(({ beginsAt }) => beginsAt);
    const rows = await this.dataSource.query<Row[]>(statementSql.lines, [merchantIds, endsAt, begins, rowsMax]);
    return {
      totals: rows.filter(row => row.merchant_id === null).map(sumsOf),
      lines: rows.flatMap(row =>
        row.merchant_id === null ? [] : [{ ...sumsOf(row), merchantId: Number(row.merchant_id), part: row.part! }],
      ),
    };
  }
}

function sumsOf(row: Row): StatementSums {
  const currencyCode = row.currency_code;
  const partOf = (name: Counted): StatementPart => ({
    count: row[name],
    amount: inCurrency(row[`${name}_amount`], currencyCode),
  });
  return {
    currencyCode,
    paid: partOf('paid'),
    settled: partOf('settled'),
    reversed: partOf('reversed'),
    waiting: partOf('waiting'),
    refunded: partOf('refunded'),
    tips: inCurrency(row.tips, currencyCode),
  };
}
