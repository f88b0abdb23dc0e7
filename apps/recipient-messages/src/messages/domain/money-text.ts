/** Currency and amount for people: exact digits, padded to the usual decimals of the currency (`19.9` -> `ZAR 19.90`). */
export function moneyText(currencyCode: string, amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const decimals = fraction.padEnd(decimalsOf(currencyCode), '0');
  return `${currencyCode} ${decimals === '' ? whole : `${whole}.${decimals}`}`;
}

/** Decimals by ISO 4217, from the runtime. */
function decimalsOf(currencyCode: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: currencyCode });
  return format.resolvedOptions().minimumFractionDigits ?? 0;
}
