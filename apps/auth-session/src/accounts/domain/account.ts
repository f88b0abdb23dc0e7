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
  /** Requests per second that an operator allows it at each gateway; null: the default of the gateways. */
  ratePerS: number | null;
  createdAt: Date;
  passwordChangedAt: Date;
}

/** The data of the account that a request needs; no secret is part of it. */
export type Principal = Pick<
  Account,
  'id' | 'username' | 'type' | 'ownerId' | 'acquirer' | 'mode' | 'credentialVersion' | 'sourceAddresses' | 'ratePerS'
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

const prefixes = { MANAGER: 'manager', MERCHANT: 'merchant', PSP: 'psp' } as const;
const patternNames = /^(manager|merchant|psp)-\d+$/i;
const usernameCharsMax = 128;
// RFC 7617 2: a user-id cannot hold a colon, and neither part a control character.
const unusable = /[:\p{C}]/u;

/** A member that is null is absent. */
export interface AccountNaming {
  type: AccountType;
  id?: number | null;
  username?: string | null;
  acquirer?: string | null;
}

/** A name, or the field of the request that is wrong. */
export type AccountName =
  | { ok: true; username: string; ownerId: number | null; acquirer: string | null }
  | { ok: false; field: 'id' | 'username' | 'acquirer'; rule: string };

/** Username by type: `manager-{id}`, `merchant-{id}`, `psp-{id}`; any form for STK, assigned by support for ACQUIRER (R-2.1-1 to R-2.1-4, A-40). */
export function nameAccount(naming: AccountNaming): AccountName {
  return naming.type === 'STK' || naming.type === 'ACQUIRER' ? assigned(naming) : numbered(naming.type, naming);
}

function numbered(type: keyof typeof prefixes, { id, username }: AccountNaming): AccountName {
  if (!isGiven(id) || !Number.isSafeInteger(id) || id < 1) return refused('id', 'must be a positive integer');
  const expected = `${prefixes[type]}-${id}`;
  if (isGiven(username) && username !== expected) return refused('username', `must be ${expected}`);
  return { ok: true, username: expected, ownerId: id, acquirer: null };
}

function assigned({ type, id, acquirer, ...naming }: AccountNaming): AccountName {
  const username = naming.username ?? '';
  if (isGiven(id)) return refused('id', 'does not apply to this type');
  const problem = usernameProblem(username);
  if (problem) return refused('username', problem);
  const bank = acquirer?.trim() || null;
  if ((bank !== null) !== (type === 'ACQUIRER')) return refused('acquirer', 'is for ACQUIRER accounts only, and required there');
  return { ok: true, username, ownerId: null, acquirer: bank };
}

function usernameProblem(username: string): string | undefined {
  if (username === '' || username.length > usernameCharsMax) return `must have 1 to ${usernameCharsMax} characters`;
  if (unusable.test(username)) return 'must not hold a colon or control characters';
  // URL parsers remove these segments, however they are encoded, so no path could name the account.
  if (username === '.' || username === '..') return 'must not be dots alone';
  if (username !== username.trim()) return 'must not begin or end with a blank';
  // Otherwise an operator's mistake could give one account the name of another.
  return patternNames.test(username) ? 'has the form reserved for another type' : undefined;
}

function isGiven<T>(member: T | null | undefined): member is T {
  return member !== undefined && member !== null;
}

function refused(field: 'id' | 'username' | 'acquirer', rule: string): AccountName {
  return { ok: false, field, rule };
}
