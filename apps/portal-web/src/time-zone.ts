const key = 'paycode-time-zone';
let browserZone: string;
let zone: string;

/** The browser's zone first: it is what a person gets without a choice. */
export const timeZones = (): string[] => [...new Set([browserZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])];

/** The person's choice, else the browser's. */
export const timeZone = (): string => zone;

/** For the next load of a page. false: this browser has it already. */
export function keepTimeZone(next: string): boolean {
  const isNew = localStorage.getItem(key) !== next;
  localStorage.setItem(key, next);
  return isNew;
}

/** Takes a browser a tenth of a second on a slow processor: it looks for its zone once. */
export function startTimeZone(): void {
  zone = browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const kept = localStorage.getItem(key);
  if (kept && kept !== zone && timeZones().includes(kept)) zone = kept;
}

/** A day and a time of day as a clock in the zone shows them. `month`: 1 to 12; `date` may be beyond the month. */
export interface Civil {
  year: number;
  month: number;
  date: number;
  hour?: number;
  minute?: number;
  second?: number;
}

/** The instant at which a clock of the zone shows this. Of a time that comes twice it is the first; one that is skipped is undefined. */
export function instantOf(civil: Civil, of = zone): Date | undefined {
  return candidates(civil, of).find(at => shownMs(at, of) === utcMs(civil));
}

/** Where a day begins, also when its midnight is skipped. */
export function dayStart({ year, month, date }: Civil, of = zone): Date {
  const midnight = { year, month, date };
  return instantOf(midnight, of) ?? candidates(midnight, of)[0]!;
}

export function civilOf(at: Date, of = zone): Required<Civil> {
  const shown = new Date(shownMs(at, of));
  const [year, month, date] = [shown.getUTCFullYear(), shown.getUTCMonth() + 1, shown.getUTCDate()];
  return { year, month, date, hour: shown.getUTCHours(), minute: shown.getUTCMinutes(), second: shown.getUTCSeconds() };
}

/** Where the reader's day began. */
export function dayBeganAt(now = new Date()): string {
  return dayStart(civilOf(now)).toISOString();
}

const utcMs = ({ year, month, date, hour = 0, minute = 0, second = 0 }: Civil) =>
  Date.UTC(year, month - 1, date, hour, minute, second);

/** By the offset of the day before and of the day after: a clock is changed at most once between them. */
function candidates(civil: Civil, of: string): Date[] {
  const ms = utcMs(civil);
  return [-1, 1].map(days => {
    const near = new Date(ms + days * 86_400_000);
    return new Date(ms - (shownMs(near, of) - near.getTime()));
  });
}

/** The time that a clock of the zone shows, as if it were one in UTC. */
function shownMs(at: Date, of: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: of,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part['year']!, part['month']! - 1, part['day'], part['hour'], part['minute'], part['second']);
}
