/** Whom a person works for. */
export const tenantTypes = ['MERCHANT', 'PSP', 'ACQUIRER', 'OPERATOR'] as const;
export type TenantType = (typeof tenantTypes)[number];

export const tenantRoles = ['VIEWER', 'DEVELOPER', 'OWNER'] as const;
export const operatorRoles = ['ON_CALL', 'ADMINISTRATOR'] as const;
export const roles = [...tenantRoles, ...operatorRoles] as const;
export type Role = (typeof roles)[number];

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

/** Of the portal's pages, and of the mails to their people. */
export const languages = ['en', 'es', 'ar'] as const;
export type Language = (typeof languages)[number];

/** In which language and time zone a person reads; null: not known, and mails are in English with times in UTC. */
export interface ReadsIn {
  language: Language | null;
  timeZone: string | null;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** As other services write it down. */
export function actorOf({ name, email }: { name: string; email: string }): string {
  return `${name} <${email}>`.slice(0, 200);
}

/** Whose people they are, in words. */
export function tenantName({ tenantType, tenantId }: { tenantType: TenantType; tenantId: string }): string {
  return tenantType === 'OPERATOR' ? 'the platform' : `${tenantType.toLowerCase()} ${tenantId}`;
}
