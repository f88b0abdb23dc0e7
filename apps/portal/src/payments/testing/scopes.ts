import type { MerchantDirectory } from '../../tenancy/merchant.directory';
import { Scope } from '../../tenancy/scope';

const person = {
  personId: 'p',
  email: 'p@x.example',
  name: 'P',
  role: 'OWNER',
  hasTotp: false,
  hasPasskey: false,
  hasPassword: true,
  language: null,
  timeZone: null,
} as const;
const knowing = (merchants: readonly number[]) => ({ idsOf: () => Promise.resolve(merchants) }) as unknown as MerchantDirectory;

/** Of a merchant, or of a PSP with several. */
export function scopeOfMerchants(...merchants: number[]): Promise<Scope> {
  const [only, ...others] = merchants;
  const tenant = others.length === 0 ? { tenantType: 'MERCHANT', tenantId: String(only) } : { tenantType: 'PSP', tenantId: '3' };
  return Scope.of({ ...person, ...(tenant as { tenantType: 'MERCHANT' | 'PSP'; tenantId: string }) }, knowing(merchants));
}

/** Of an operator. */
export function scopeOfAll(): Promise<Scope> {
  return Scope.of({ ...person, role: 'ON_CALL', tenantType: 'OPERATOR', tenantId: '' }, knowing([]));
}

/** Knows names, and nothing else. */
export function namingDirectory(names: Readonly<Record<number, string>>): MerchantDirectory {
  const withNames = (rows: readonly { merchantId: number }[]) =>
    Promise.resolve(rows.map(row => ({ ...row, merchantName: names[row.merchantId] ?? null })));
  return { withNames } as unknown as MerchantDirectory;
}
