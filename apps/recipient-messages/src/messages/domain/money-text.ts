/** Currency and amount for people: exact digits, filled up to the decimals that the currency is written with (`19.9` -> `ZAR 19.90`). */
export function moneyText(currencyCode: string, amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const decimals = fraction.padEnd(decimalsOf(currencyCode), '0');
  return `${currencyCode} ${decimals === '' ? whole : `${whole}.${decimals}`}`;
}

/** Decimals by ISO 4217 as the runtime knows them. */
function decimalsOf(currencyCode: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: currencyCode });
  return format.resolvedOptions().minimumFractionDigits ?? 0;
}
