import { currentLocale, t, type Text } from '../language/language';
import { type Civil, civilOf, dayStart, instantOf } from '../time-zone';

/** `at`: ISO 8601 UTC. */
export type ReadMoment = { at: string } | { problem: string };

const pattern =
  /^(?:(?<first>\d{1,4})[-/.](?<second>\d{1,2})[-/.](?<third>\d{1,4})|(?<word>today|yesterday))?[,T\s]*(?:(?<hour>\d{1,2})(?::(?<minute>\d{2})(?::(?<sec>\d{2}))?)?\s*(?<half>[ap]\.?m\.?)?)?$/i;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;
const rule = () => t('Write a day as 2026-11-27, with a time as 2026-11-27 14:00; or today, yesterday 14:00, 14:00.');

/**
 * Reads a day and a time of day in the reader's time zone: ISO 8601, `27/11/2026 14:00` in the order of the locale, `yesterday 14:00`, `14:00` of
 * today. `isEnd`: a day without a time is part of the range, so its end is meant.
 */
export function readMoment(
  text: string,
  { isEnd = false, locale, now = new Date() }: { isEnd?: boolean; locale?: string; now?: Date } = {},
): ReadMoment {
  const given = text.trim().replace(t('today'), 'today').replace(t('yesterday'), 'yesterday');
  if (instant.test(given)) return Number.isNaN(Date.parse(given)) ? { problem: rule() } : { at: new Date(given).toISOString() };
  const parts = given === '' ? undefined : pattern.exec(given)?.groups;
  if (!parts || isBareNumber(parts)) return { problem: rule() };
  const day = dayOf(parts, now, locale);
  const time = timeOf(parts);
  if ('problem' in day) return day;
  if (!time) return { problem: `${t('There is no such time of day.')} ${rule()}` };
  const isWholeDay = parts['hour'] === undefined;
  return momentOf(isWholeDay && isEnd ? { ...day, date: day.date + 1 } : day, time, isWholeDay);
}

/** An hour has minutes, or am or pm. */
const isBareNumber = ({ hour, minute, half }: Parts) => hour !== undefined && minute === undefined && !half;

function momentOf(day: Civil, time: Time, isWholeDay: boolean): ReadMoment {
  const at = isWholeDay ? dayStart(day) : instantOf({ ...day, ...time });
  return at ? { at: at.toISOString() } : { problem: t('The clock is put forward then: there is no such time.') };
}

type Time = { hour: number; minute: number; second: number };
type Day = { year: number; month: number; date: number };
type Parts = Record<string, string | undefined>;

function dayOf(parts: Parts, now: Date, locale: string | undefined): Day | { problem: string } {
  if (parts['first'] === undefined) {
    const today = civilOf(now);
    return civilOf(dayStart({ ...today, date: today.date - (parts['word']?.toLowerCase() === 'yesterday' ? 1 : 0) }));
  }
  const numbers = [parts['first'], parts['second']!, parts['third']!];
  const read =
    numbers[0]!.length === 4 ? [{ year: numbers[0]!, month: numbers[1]!, date: numbers[2]! }] : ordersOf(numbers, locale);
  const days = read
    .map(({ year, month, date }) => ({ year: Number(year), month: Number(month), date: Number(date) }))
    .filter(isDay);
  if (days.length === 0) return { problem: `${t('There is no such day.')} ${rule()}` };
  if (days.length > 1)
    return { problem: t('This can be {one} or {other}: write one of these.', { one: isoOf(days[0]!), other: isoOf(days[1]!) }) };
  return days[0]!;
}

/** A notation that begins with the year does not say which of the others comes first. */
function ordersOf([first, second, year]: string[], locale = currentLocale()) {
  const order = new Intl.DateTimeFormat(locale)
    .formatToParts(0)
    .map(({ type }) => type)
    .filter(type => type !== 'literal');
  const both = [
    { year: year!, month: second!, date: first! },
    { year: year!, month: first!, date: second! },
  ];
  if (year!.length !== 4) return [];
  if (order[0] === 'year' || first === second) return first === second ? both.slice(0, 1) : both;
  return order[0] === 'day' ? both.slice(0, 1) : both.slice(1);
}

function isDay({ year, month, date }: Day): boolean {
  const made = new Date(Date.UTC(year, month - 1, date));
  return year >= 1970 && made.getUTCMonth() === month - 1 && made.getUTCDate() === date;
}

const isoOf = ({ year, month, date }: Day) => `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;

function timeOf({ hour = '0', minute = '0', sec = '0', half }: Parts) {
  const given = Number(hour);
  if (half && (given < 1 || given > 12)) return undefined;
  const hours = half ? (given % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0) : given;
  return hours < 24 && Number(minute) < 60 && Number(sec) < 60
    ? { hour: hours, minute: Number(minute), second: Number(sec) }
    : undefined;
}

export const ranges = {
  hour: 'Last hour',
  today: 'Today',
  yesterday: 'Yesterday',
  '7d': 'Last 7 days',
} as const satisfies Record<string, Text>;
export type Range = keyof typeof ranges;

/** The instants of a range that moves with the time; days are the reader's. `to` is not part of it. */
export function instantsOf(range: Range, now = new Date()): { from: string; to?: string } {
  const today = civilOf(now);
  const day = (back: number) => dayStart({ ...today, date: today.date - back }).toISOString();
  if (range === 'hour') return { from: new Date(now.getTime() - 3_600_000).toISOString() };
  if (range === 'yesterday') return { from: day(1), to: day(0) };
  return { from: day(range === 'today' ? 0 : 6) };
}
