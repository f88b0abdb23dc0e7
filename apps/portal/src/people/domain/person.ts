import { idOf } from '@paycode/dto';

/** Whom a person works for. */
export const tenantTypes = ['MERCHANT', 'PSP', 'ACQUIRER', 'OPERATOR'] as const;
export type TenantType = (typeof tenantTypes)[number];

export const tenantRoles = ['VIEWER', 'DEVELOPER', 'OWNER'] as const;
export const operatorRoles = ['ON_CALL', 'ADMINISTRATOR'] as const;
export const roles = [...tenantRoles, ...operatorRoles] as const;
export type Role = (typeof roles)[number];

export interface Person {
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

/** Whether a password alone says too little of who this is. */
export function hasSecondFactor({ hasTotp, hasPasskey }: Pick<Person, 'hasTotp' | 'hasPasskey'>): boolean {
  return hasTotp || hasPasskey;
}

/** Permissions beyond reading. */
export type Permission = 'CONFIGURE' | 'INVITE' | 'TEST' | 'CREDENTIALS' | 'NOTIFICATION' | 'ON_CALL';

const permissions: Record<Role, readonly Permission[]> = {
  VIEWER: [],
  // NOTIFICATION: what tells who paid; those who run the merchant's server read it there as well.
  DEVELOPER: ['CONFIGURE', 'TEST', 'CREDENTIALS', 'NOTIFICATION'],
  OWNER: ['CONFIGURE', 'INVITE', 'TEST', 'CREDENTIALS', 'NOTIFICATION'],
  // Reads everything and checks; what merchants set up is theirs to change.
  ON_CALL: ['ON_CALL'],
  ADMINISTRATOR: ['CONFIGURE', 'INVITE', 'ON_CALL'],
};

/** In production a test notification reaches a shop at work, and a new password stops its programs: its owner alone may want that. */
const ownersInProduction: readonly Permission[] = ['TEST', 'CREDENTIALS'];

/**
 * In production an administrator changes no merchant's URL, key or recipients: one stolen session could send every merchant's payments
 * elsewhere. The second person is somebody of the merchant or its PSP, who makes the change (T-52).
 */
export function may(role: Role, permission: Permission, isProduction: boolean): boolean {
  if (isProduction && ownersInProduction.includes(permission)) return role === 'OWNER';
  if (isProduction && role === 'ADMINISTRATOR' && permission === 'CONFIGURE') return false;
  return permissions[role].includes(permission);
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

/** In words, for people. */
export function tenantName({ tenantType, tenantId }: Pick<Person, 'tenantType' | 'tenantId'>): string {
  return tenantType === 'OPERATOR' ? 'the platform' : `${tenantType.toLowerCase()} ${tenantId}`;
}

/** As other services write it down. */
export function actorOf({ name, email }: Pick<Person, 'name' | 'email'>): string {
  return `${name} <${email}>`.slice(0, 200);
}
