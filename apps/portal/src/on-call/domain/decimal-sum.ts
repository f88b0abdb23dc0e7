/** Sum of exact decimals such as `1250.50`, with as many decimals as the most precise of them. */
export function decimalSum(amounts: readonly string[]): string {
  const decimals = Math.max(0, ...amounts.map(amount => fractionOf(amount).length));
  const units = amounts.reduce((sum, amount) => sum + unitsOf(amount, decimals), 0n);
  if (decimals === 0) return units.toString();
  const digits = units.toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function unitsOf(amount: string, decimals: number): bigint {
  const [whole = '0'] = amount.split('.');
  return BigInt(whole + fractionOf(amount).padEnd(decimals, '0'));
}

const fractionOf = (amount: string): string => amount.split('.')[1] ?? '';
