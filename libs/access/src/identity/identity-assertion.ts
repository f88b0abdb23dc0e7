import type { KeyObject } from 'node:crypto';
import { type AccountType, accountTypes, type Identity, type Role } from '@paycode/dto';
import jsonwebtoken from 'jsonwebtoken';

export const assertionIssuer = 'auth-session';
export const assertionAudience = 'paycode';
export const assertionAlgorithm = 'ES256';
/** Kind of token: an access token is never taken for an assertion, nor the reverse (T-08, RFC 8725 3.11). */
export const assertionType = 'paycode-identity+jwt';
/** Life of an assertion, in seconds. */
export const assertionLifetimeS = 30;

export interface AssertionKey {
  kid: string;
  privateKey: KeyObject;
}

/** Signs who is calling: compact ES256 JWT, 30 s from `issuedAtS` (epoch seconds). */
export function signIdentityAssertion(identity: Identity, key: AssertionKey, issuedAtS: number): string {
  const { subject, accountType, ownerId, acquirer, roles } = identity;
  const claims = { sub: subject, accountType, ownerId, acquirer, roles, iat: issuedAtS, exp: issuedAtS + assertionLifetimeS };
  return jsonwebtoken.sign(claims, key.privateKey, {
    algorithm: assertionAlgorithm,
    keyid: key.kid,
    issuer: assertionIssuer,
    audience: assertionAudience,
    header: { alg: assertionAlgorithm, typ: assertionType },
  });
}

/** Reads the identity out of an assertion whose signature, issuer, audience and times have been verified; undefined for any other token. */
export function identityOf({ header, payload }: jsonwebtoken.Jwt): Identity | undefined {
  if (typeof payload !== 'object' || header.typ !== assertionType || payload.exp === undefined) return undefined;
  // Our own key has signed it, so its shape is ours; what a newer auth-session may have changed is checked.
  const { sub, accountType, ownerId, acquirer, roles } = payload as AssertionClaims;
  if (!accountTypes.includes(accountType) || !Array.isArray(roles)) return undefined;
  return { subject: sub, accountType, ownerId, acquirer, roles };
}

interface AssertionClaims {
  sub: string;
  accountType: AccountType;
  ownerId: number | null;
  acquirer: string | null;
  roles: Role[];
}
