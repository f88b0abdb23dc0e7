import { idOf } from '@paycode/dto';
import { operatorRoles, type ReadsIn, type Role, tenantRoles, type TenantType } from '@paycode/dto/people';

export { may, type Permission, type Role, roles, tenantName, type TenantType, tenantTypes } from '@paycode/dto/people';

export interface Person extends ReadsIn {
  personId: string;
  email: string;
  name: string;
  tenantType: TenantType;
  /** Merchant or PSP id, name of the acquirer; empty for operators. */
  tenantId: string;
  role: Role;
  hasTotp: boolean;
  hasPasskey: boolean;
  /** false: a company's provider or a passkey signs the person in. */
  hasPassword: boolean;
}

/** As the people of its tenant see it. */
export interface Colleague extends Person {
  /** false: invited, and not here yet. */
  isIn: boolean;
  /** Whether too many wrong codes of its app were given today. */
  areCodesRefused: boolean;
}

/** People of a merchant's own who may sign in, and those who have not accepted their invitation yet. */
export interface MerchantPeople {
  owners: number;
  others: number;
  invited: number;
}

/** Whether a password alone says too little of who this is. */
export function hasSecondFactor({ hasTotp, hasPasskey }: Pick<Person, 'hasTotp' | 'hasPasskey'>): boolean {
  return hasTotp || hasPasskey;
}

/** Whether people of the role confirm what takes two people of their tenant. */
export function confirmsRequests(role: Role): boolean {
  return role === 'OWNER' || (operatorRoles as readonly Role[]).includes(role);
}

/** As getNotification: a merchant's own people and its PSP's. */
export function readsNotifications({ tenantType }: Pick<Person, 'tenantType'>): boolean {
  return tenantType === 'MERCHANT' || tenantType === 'PSP';
}

/** Whether tenant and role belong together: operators have roles of their own and no tenant id. */
export function isTenantWellFormed({ tenantType, tenantId, role }: Pick<Person, 'tenantType' | 'tenantId' | 'role'>): boolean {
  if (tenantType === 'OPERATOR') return tenantId === '' && (operatorRoles as readonly Role[]).includes(role);
  if (!(tenantRoles as readonly Role[]).includes(role)) return false;
  return tenantType === 'ACQUIRER' ? tenantId.trim() !== '' : idOf(tenantId) !== undefined;
}

/** NIST SP 800-63B: length counts, composition rules do not. */
export const passwordCharsMin = 12;
export const passwordCharsMax = 128;

const fewest = 5;

/** Why a password cannot be taken, in words that follow its name; undefined: it can. */
export function passwordProblem(password: string, known: readonly string[]): string | undefined {
  if (password.length < passwordCharsMin) return `must have at least ${passwordCharsMin} characters`;
  if (password.length > passwordCharsMax) return `must have at most ${passwordCharsMax} characters`;
  if (new Set(password).size < fewest) return `must have at least ${fewest} different characters`;
  const lower = password.toLowerCase();
  if (known.some(word => lower === word.toLowerCase())) return 'must not be your e-mail address or name';
  return undefined;
}
