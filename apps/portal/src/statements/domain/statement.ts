import type { StatementSums } from '@paycode/dto';
import type { Columns } from '../../files/domain/csv';

export type { StatementPart, StatementSums } from '@paycode/dto';

export interface StatementLine extends StatementSums {
  /** `2026-11-03`, `2026-11` or, of several merchants, the whole period. */
  day: string;
  merchantId: number;
  merchantName: string;
}

const counted = ['paid', 'settled', 'reversed', 'waiting', 'refunded'] as const;

/** A line in a file. No line is a total, so that nothing is added twice. */
export const statementColumns: Columns<StatementLine> = [
  ['day', 'day', line => line.day],
  ['merchantId', 'text', line => String(line.merchantId)],
  ['merchantName', 'text', line => line.merchantName],
  ['currencyCode', 'word', line => line.currencyCode],
  ...counted.flatMap((name): Columns<StatementLine> => [
    [name, 'count', line => line[name].count],
    [`${name}Amount`, 'money', line => line[name].amount],
  ]),
  ['tips', 'money', line => line.tips],
];

/** Parts of a period in a time zone: the days of a month, the months of a year, or one day. */
export interface Period {
  /** `2026-11-03`, or `2026-11`, each with the instant of its beginning, ISO 8601 UTC. */
  parts: { name: string; beginsAt: string }[];
  endsAt: string;
}

export const periodForm = /^(20\d\d)(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?$/;

/** @param text a day, `2026-11-03`, a month, `2026-11`, or a year, `2026` @param timeZone a name that `isTimeZone` knows */
export function periodOf(text: string, timeZone: string): Period {
  const [, year, month, day] = periodForm.exec(text)!;
  const firstOf = (at: number) => (month ? [Number(year), Number(month), Number(day ?? 1) + at] : [Number(year), at + 1, 1]);
  // Day 0 of the next month is the last of this one.
  const count = day ? 1 : month ? new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate() : 12;
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
