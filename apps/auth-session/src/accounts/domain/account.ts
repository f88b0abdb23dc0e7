import type { AccountType, Identity, Role } from '@paycode/dto';

export type AccountMode = 'BASIC' | 'BEARER';

export interface Account {
  /** Database id, as text. */
  id: string;
  username: string;
  type: AccountType;
  /** managerId, merchantId or pspId; null for STK and ACQUIRER. */
  ownerId: number | null;
  /** ACQUIRER only: what merchants' `acquirer` is matched with (A-40). */
  acquirer: string | null;
  mode: AccountMode;
  /** Null after the switch to Bearer, until a new password is generated. */
  passwordHash: string | null;
  /** Sessions opened under an older version have ended. */
  credentialVersion: number;
  /** Base64 X.509 RSA-4096 key of the client (R-5.3-1). */
  publicKey: string | null;
  /** Whether login without a challenge is refused. */
  challengeRequired: boolean;
  /** Addresses and CIDR ranges that it may be used from; empty permits every address (T-15). */
  sourceAddresses: string[];
  createdAt: Date;
  passwordChangedAt: Date;
}

/** The data of the account that a request needs; no secret is part of it. */
export type Principal = Pick<
  Account,
  'id' | 'username' | 'type' | 'ownerId' | 'acquirer' | 'mode' | 'credentialVersion' | 'sourceAddresses'
>;

/** Path roles of an account type. INTERNAL is given to no account (T-27). */
export function rolesOf(type: AccountType): Role[] {
  if (type === 'MERCHANT' || type === 'PSP') return ['EXTERNAL'];
  return type === 'STK' ? ['STK'] : [];
}

/** The data about the caller that services receive. */
export function identityOf({ username, type, ownerId, acquirer }: Principal): Identity {
  return { subject: username, accountType: type, ownerId, acquirer, roles: rolesOf(type) };
}
