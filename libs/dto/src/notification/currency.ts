import { codes, code as entryOf } from 'currency-codes';

/**
 * Amendments of ISO 4217 after the package's list of 2024-06-25 that are in effect (ADR 0116): 176 (XCG for ANG), 178 (CUC), 179 (XAD), 180 (BGN).
 * null: withdrawn. A line goes when the list of a newer package says the same; a test finds it.
 */
export const amendments: Readonly<Record<string, number | null>> = { XCG: 2, ANG: null, CUC: null, XAD: 2, BGN: null };

/** The day on which this table was last compared with the amendments that SIX publishes; `npm run check` warns a year after it. */
export const amendmentsReadAt = '2026-11-26';

/** ISO 4217 list one: code and decimals. A code without a minor unit (gold, XXX) has whole numbers. */
const decimals: ReadonlyMap<string, number> = new Map(
  [...codes().map(code => [code, entryOf(code)!.digits] as const), ...Object.entries(amendments)].filter(
    (entry): entry is [string, number] => entry[1] !== null && amendments[entry[0]] !== null,
  ),
);

/** ISO 4217 codes in their one spelling, upper case (R-2.5-3). */
export const currencyCodes: readonly string[] = [...decimals.keys()].sort();

/** Old payments may have a code that is withdrawn by now; nearly all of those had two decimals. */
const decimalsOfWithdrawn = 2;

/** Decimals that the currency has (ISO 4217 minor unit), such as 2 for ZAR, 0 for JPY, 4 for CLF. */
export function decimalsOf(currencyCode: string): number {
  return decimals.get(currencyCode) ?? decimalsOfWithdrawn;
}

/** Exact digits with the decimals of the currency, for people and programs: `10.500` ZAR becomes `10.50`. No digit but a trailing 0 is cut off. */
export function inCurrency(digits: string, currencyCode: string): string {
  const [whole = '', fraction = ''] = digits.split('.');
  const shown = fraction.replace(/0+$/, '').padEnd(decimalsOf(currencyCode), '0');
  return shown === '' ? whole : `${whole}.${shown}`;
}
