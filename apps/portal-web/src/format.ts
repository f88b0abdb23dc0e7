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
  return new Intl.NumberFormat(undefined, options).format(amount as unknown as number);
}

const whenFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const hourFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });

/** In the reader's time zone. */
export const when = (iso: string) => whenFormat.format(new Date(iso));
export const hour = (iso: string) => hourFormat.format(new Date(iso));
const clockFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
export const clock = (iso: string) => clockFormat.format(new Date(iso));
const minuteFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
export const minute = (iso: string) => minuteFormat.format(new Date(iso));
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
export const today = () => dayFormat.format(new Date());
export const elapsed = (ms: number) => (ms < 10_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);
/** For the hover. */
export const utc = (iso: string) => `${iso.replace('T', ' ').replace(/(\.\d+)?Z$/, '')} UTC`;

/** Where the reader's day began. */
export function dayBeganAt(now = new Date()): string {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString();
}
