import { inCurrency } from '@paycode/dto';

const ids = new Set(['transaction_id', 'merchant_id', 'reference_transaction_id', 'reversed_by', 'reversal_failed_by']);
const isAmount = (column: string) => column.endsWith('amount');

/** A row of the read model as pages show it: names in camel case, instants in ISO 8601 UTC, ids as numbers, amounts with the decimals of the currency. */
export function shownRow<T>(row: { currency_code?: string }): T {
  const shown = ([column, value]: [string, unknown]) => [nameOf(column), shownValue(column, value, row.currency_code)];
  return Object.fromEntries(Object.entries(row).map(shown)) as T;
}

function shownValue(column: string, value: unknown, currencyCode: string | undefined): unknown {
  if (value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (ids.has(column)) return Number(value);
  return isAmount(column) && currencyCode ? inCurrency(value as string, currencyCode) : value;
}

function nameOf(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
