import type { KeyObject } from 'node:crypto';
import { type AccountType, accountTypes, type Identity, type Role } from '@paycode/dto';
import jsonwebtoken from 'jsonwebtoken';
import { normalisePath } from '../path/normalise-path';

export const assertionIssuer = 'auth-session';
export const assertionAlgorithm = 'ES256';
/** Type of token, so that an access token is never accepted as an assertion, nor the reverse (T-08, RFC 8725 3.11). */
export const assertionType = 'paycode-identity+jwt';
/** Life of an assertion, in seconds. */
export const assertionLifetimeS = 30;

/** The one request an assertion is made for. */
export interface AssertedRequest {
  /** The service that serves the path: audience of the assertion. */
  service: string;
  method: string;
  /** As `normalisePath` gives it, without the query. */
  path: string;
}

export interface AssertionKey {
  kid: string;
  privateKey: KeyObject;
}

/**
 * Signs the identity of a caller for one method and path of one service: compact ES256 JWT, 30 s from `issuedAtS` (epoch seconds). The
 * names `htm` and `htu` come from RFC 9449; `htu` is the path alone, because a proxy in between may speak to the service under another
 * scheme and host.
 */
export function signIdentityAssertion(
  { identity, request }: { identity: Identity; request: AssertedRequest },
  key: AssertionKey,
  issuedAtS: number,
): string {
  const { subject, accountType, ownerId, acquirer, roles } = identity;
  const { service, method, path } = request;
  const times = { iat: issuedAtS, exp: issuedAtS + assertionLifetimeS };
  const claims = { sub: subject, accountType, ownerId, acquirer, roles, htm: method, htu: path, ...times };
  return jsonwebtoken.sign(claims, key.privateKey, {
    algorithm: assertionAlgorithm,
    keyid: key.kid,
    issuer: assertionIssuer,
    audience: service,
    header: { alg: assertionAlgorithm, typ: assertionType },
  });
}

/**
 * Reads the identity out of an assertion whose signature, issuer, audience and times have been verified; undefined for any other token, and
 * for an assertion of another request, so that no receiver can use it elsewhere (T-26). `target` is the request target as received.
 */
export function identityOf(
  { header, payload }: jsonwebtoken.Jwt,
  { method, target }: { method: string; target: string },
): Identity | undefined {
  if (typeof payload !== 'object' || header.typ !== assertionType || payload.exp === undefined) return undefined;
  if (payload['htm'] !== method || payload['htu'] !== pathOf(target)) return undefined;
  // auth-session has signed it, so its shape is known; this checks the fields that a newer auth-session may have changed.
  const { sub, accountType, ownerId, acquirer, roles } = payload as AssertionClaims;
  if (!accountTypes.includes(accountType) || !Array.isArray(roles)) return undefined;
  return { subject: sub, accountType, ownerId, acquirer, roles };
}

/** Null for an invalid target; no assertion contains null. */
function pathOf(target: string): string | null {
  const path = normalisePath(target);
  return path.ok ? path.path : null;
}

interface AssertionClaims {
  sub: string;
  accountType: AccountType;
  ownerId: number | null;
  acquirer: string | null;
  roles: Role[];
}
