import type { MerchantDirectory } from '../../tenancy/merchant.directory';
import { Scope } from '../../tenancy/scope';

const knowing = (merchants: readonly number[]) => ({ idsOf: () => Promise.resolve(merchants) }) as unknown as MerchantDirectory;

/** Of a merchant, or of a PSP with several. */
export function scopeOfMerchants(...merchants: number[]): Promise<Scope> {
  const [only, ...others] = merchants;
  const tenantType = others.length === 0 ? 'MERCHANT' : 'PSP';
  return Scope.of({ tenantType, tenantId: tenantType === 'PSP' ? '3' : String(only) }, knowing(merchants));
}

/** Of an operator. */
export function scopeOfAll(): Promise<Scope> {
  return Scope.of({ tenantType: 'OPERATOR', tenantId: '' }, knowing([]));
}

/** Knows names, and nothing else. */
export function namingDirectory(names: Readonly<Record<number, string>>): MerchantDirectory {
  const withNames = (rows: readonly { merchantId: number }[]) =>
    Promise.resolve(rows.map(row => ({ ...row, merchantName: names[row.merchantId] ?? null })));
  return { withNames } as unknown as MerchantDirectory;
}
