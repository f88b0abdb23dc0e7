import { type Cell, cellOf, utf8Mark } from '../../payments/domain/csv';

export interface StatementPart {
  count: number;
  /** With the decimals of the currency. */
  amount: string;
}

/** Money of one currency. `paid` is `settled`, `reversed` and `waiting` together; a refund counts on its own day. */
export interface StatementSums {
  currencyCode: string;
  paid: StatementPart;
  settled: StatementPart;
  reversed: StatementPart;
  waiting: StatementPart;
  refunded: StatementPart;
  /** Contained in the settled amount. */
  tips: string;
}

export interface StatementLine extends StatementSums {
  /** `2026-11-03`, `2026-11` or, of several merchants, the whole period. */
  day: string;
  merchantId: number;
  merchantName: string;
}

/** Spreadsheets that write 1,50 separate columns by `;`, those that write 1.50 by `,`. */
export const decimalMarks = ['POINT', 'COMMA'] as const;
export type DecimalMark = (typeof decimalMarks)[number];

type Column = readonly [name: string, of: (line: StatementLine) => Cell];
const counted = ['paid', 'settled', 'reversed', 'waiting', 'refunded'] as const;

const columns: readonly Column[] = [
  ['day', line => line.day],
  ['merchantId', line => ({ text: String(line.merchantId) })],
  ['merchantName', line => ({ text: line.merchantName })],
  ['currencyCode', line => line.currencyCode],
  ...counted.flatMap((name): Column[] => [
    [name, line => line[name].count],
    [`${name}Amount`, line => line[name].amount],
  ]),
  ['tips', line => line.tips],
];

const amountForm = /^\d+\.\d+$/;

/** RFC 4180, but for what separates the columns. The amounts have the decimals of their currency; no line is a total. */
export function statementFile(lines: readonly StatementLine[], mark: DecimalMark): string {
  const isComma = mark === 'COMMA';
  const written = (cell: Cell) =>
    isComma && typeof cell === 'string' && amountForm.test(cell) ? cell.replace('.', ',') : cellOf(cell);
  const rows = [columns.map(([name]) => name), ...lines.map(line => columns.map(([, of]) => written(of(line))))];
  return `${utf8Mark}${rows.map(row => `${row.join(isComma ? ';' : ',')}\r\n`).join('')}`;
}
