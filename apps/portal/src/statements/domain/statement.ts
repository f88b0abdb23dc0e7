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

/** Parts of a period in a time zone: the days of a month, or the months of a year. */
export interface Period {
  /** `2026-11-03`, or `2026-11`, each with the instant of its beginning, ISO 8601 UTC. */
  parts: { name: string; beginsAt: string }[];
  endsAt: string;
}

export const periodForm = /^(20\d\d)(?:-(0[1-9]|1[0-2]))?$/;

/** @param text a month, `2026-11`, or a year, `2026` @param timeZone a name that `isTimeZone` knows */
export function periodOf(text: string, timeZone: string): Period {
  const [, year, month] = periodForm.exec(text)!;
  const firstOf = (at: number) => (month ? [Number(year), Number(month), at + 1] : [Number(year), at + 1, 1]);
  // Day 0 of the next month is the last of this one.
  const count = month ? new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate() : 12;
  const begins = dayBeginning(timeZone);
  const beginOf = (at: number) => {
    const [y, m, d] = firstOf(at) as [number, number, number];
    return begins(new Date(Date.UTC(y, m - 1, d)).toISOString().slice(0, 10));
  };
  const parts = Array.from({ length: count }, (_, at) => {
    const { date, instant } = beginOf(at);
    return { name: date.slice(0, month ? 10 : 7), beginsAt: instant };
  });
  return { parts, endsAt: beginOf(count).instant };
}

const minuteMs = 60_000;
/** A zone's day begins at most this far from that of UTC. */
const apartMinutes = 15 * 60;

/**
 * When a day begins in a zone: the first minute that its calendar calls this day or a later one. So a day whose midnight is skipped begins at
 * 01:00, and one that the zone skips is empty.
 */
function dayBeginning(timeZone: string): (date: string) => { date: string; instant: string } {
  // Swedish writes a date as ISO 8601 does.
  const calendar = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' });
  return date => {
    const aroundMs = Date.parse(date);
    let [before, at] = [-apartMinutes, apartMinutes];
    while (at - before > 1) {
      const middle = Math.floor((before + at) / 2);
      if (calendar.format(aroundMs + middle * minuteMs) < date) before = middle;
      else at = middle;
    }
    return { date, instant: new Date(aroundMs + at * minuteMs).toISOString() };
  };
}
