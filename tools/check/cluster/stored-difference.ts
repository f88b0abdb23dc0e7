/** CPU and memory as the API server writes them: `0.5` is stored as `500m`, `1024Mi` as `1Gi`. */
const quantity = /^([0-9.]+)(m|Ki|Mi|Gi|Ti)?$/;
const factors: Record<string, number> = { m: 0.001, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };

/** Paths at which the server stored another value than the one sent: pruned, changed, or of another length. Defaults that it added are left out. */
export function storedDifference(sent: unknown, stored: unknown, path = ''): string[] {
  if (Array.isArray(sent)) return arrayDifference(sent, stored, path);
  if (sent !== null && typeof sent === 'object') {
    const held = stored as Record<string, unknown> | null | undefined;
    return Object.entries(sent).flatMap(([key, value]) => storedDifference(value, held?.[key], `${path}.${key}`));
  }
  return isSame(sent, stored) ? [] : [`${path}: sent ${JSON.stringify(sent)}, stored ${JSON.stringify(stored)}`];
}

/** An empty value is the same as none. */
function isSame(sent: unknown, stored: unknown): boolean {
  const isNone = stored === undefined && (sent === '' || sent === null);
  return isNone || sent === stored || amountOf(sent) === amountOf(stored);
}

function arrayDifference(sent: unknown[], stored: unknown, path: string): string[] {
  if (sent.length === 0 && stored === undefined) return [];
  if (!Array.isArray(stored) || stored.length !== sent.length)
    return [`${path}: sent ${sent.length} entries, stored ${JSON.stringify(stored)}`];
  return sent.flatMap((value, index) => storedDifference(value, stored[index], `${path}[${index}]`));
}

/** Not a number: something that is no amount, and equals nothing. */
function amountOf(value: unknown): number {
  const match = typeof value === 'string' ? quantity.exec(value) : null;
  return match ? Number(match[1]) * (match[2] ? factors[match[2]]! : 1) : Number.NaN;
}
