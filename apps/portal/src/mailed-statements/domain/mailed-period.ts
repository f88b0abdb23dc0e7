/** How often a person is mailed a statement. */
export const mailedEvery = ['DAY', 'MONTH'] as const;
export type MailedEvery = (typeof mailedEvery)[number];

/** A period is mailed so long after its end: its payments are decided, and the night is over. */
const restMs = 6 * 3_600_000;
/** So many periods before the newest are still mailed late; a person gets none of those before. */
const lateMax: Record<MailedEvery, number> = { DAY: 6, MONTH: 1 };

/** The latest day (`2026-11-27`) or month (`2026-11`) of the zone that is to be mailed by now. */
export function newestPeriod(every: MailedEvery, timeZone: string, now: Date): string {
  // Swedish writes a date as ISO 8601 does.
  const today = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(now.getTime() - restMs);
  return moved(every === 'DAY' ? today : today.slice(0, 7), -1);
}

/** The period to be mailed after `last`; undefined: none is due. A clock that goes back mails nothing twice. */
export function nextPeriod(every: MailedEvery, last: string, newest: string): string | undefined {
  const [following, oldest] = [moved(last, 1), moved(newest, -lateMax[every])];
  const next = following > oldest ? following : oldest;
  return next > newest ? undefined : next;
}

/** So many days or months later. */
function moved(period: string, by: number): string {
  const [year = 0, month = 1, day] = period.split('-').map(Number);
  const to = day === undefined ? Date.UTC(year, month - 1 + by) : Date.UTC(year, month - 1, day + by);
  return new Date(to).toISOString().slice(0, period.length);
}
