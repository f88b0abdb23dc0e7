import { currentLocale, t } from './language/language';
import { timeZone } from './time-zone';

/**
 * An exact amount in the reader's way of writing it, with the decimals that it has: the portal writes those of the currency, while browsers think
 * that some have none. Digits stay text: a float would round large sums.
 */
export function money(amount: string, currencyCode: string): string {
  const digits = amount.split('.')[1]?.length ?? 0;
  const options = {
    style: 'currency',
    currency: currencyCode,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  return new Intl.NumberFormat(currentLocale(), options).format(amount as unknown as number);
}

/** In the reader's language and time zone. */
function formatOf(options: Intl.DateTimeFormatOptions): (iso: string) => string {
  let format: Intl.DateTimeFormat | undefined;
  return iso => (format ??= new Intl.DateTimeFormat(currentLocale(), { ...options, timeZone: timeZone() })).format(new Date(iso));
}

export const when = formatOf({ dateStyle: 'medium', timeStyle: 'medium' });
export const hour = formatOf({ weekday: 'short', hour: '2-digit', minute: '2-digit' });
export const clock = formatOf({ timeStyle: 'medium' });
export const minute = formatOf({ timeStyle: 'short' });
const day = formatOf({ dateStyle: 'full' });
export const today = () => day(new Date().toISOString());
export const elapsed = (ms: number) =>
  ms < 10_000 ? t('{ms, plural, =0 {under 1 ms} other {{ms} ms}}', { ms }) : t('{s} s', { s: (ms / 1_000).toFixed(1) });
/** For the hover. */
export const utc = (iso: string) => `${iso.replace('T', ' ').replace(/(\.\d+)?Z$/, '')} UTC`;
