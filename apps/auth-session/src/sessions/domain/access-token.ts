/** The only algorithm (T-08). HS256 suffices, because only auth-session issues and verifies access tokens. */
export const accessTokenAlgorithm = 'HS256';
export const accessTokenIssuer = 'auth-session';
/** RFC 9068: distinguishes access tokens from all other JWTs of the platform (T-08). */
export const accessTokenType = 'at+jwt';
/** 15 minutes from issuance, in milliseconds (R-5.2-7, R-8-3). */
export const accessTokenLifetimeMs = 15 * 60_000;
/** How far another replica's clock may be ahead, in seconds. */
const clockSkewMaxS = 5;

/** Tokens of one environment are invalid in the other (T-08). */
export function accessTokenAudience(environment: 'sandbox' | 'production'): string {
  return `paycode-${environment}`;
}

export interface AccessClaims {
  /** Username. */
  subject: string;
  sessionId: string;
  tokenId: string;
  /** Epoch seconds. */
  issuedAtS: number;
  /** Epoch seconds, rounded up; the session row holds the exact instant. */
  expiresAtS: number;
}

interface UncheckedJwt {
  header: { typ?: unknown };
  payload: unknown;
}

/** The claims of a JWT whose signature, issuer and audience have been verified; undefined when it is not an access token. */
export function readClaims({ header, payload }: UncheckedJwt): AccessClaims | undefined {
  if (header.typ !== accessTokenType || typeof payload !== 'object' || payload === null) return undefined;
  const { sub, sid, jti, iat, exp } = payload as Record<string, unknown>;
  const isComplete = [sub, sid, jti].every(isText) && [iat, exp].every(Number.isSafeInteger);
  if (!isComplete) return undefined;
  return {
    subject: sub as string,
    sessionId: sid as string,
    tokenId: jti as string,
    issuedAtS: iat as number,
    expiresAtS: exp as number,
  };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** Whether the claims allow use at that instant; at `exp` itself they do not. */
export function isTimely({ issuedAtS, expiresAtS }: AccessClaims, nowMs: number): boolean {
  return nowMs < expiresAtS * 1_000 && issuedAtS * 1_000 <= nowMs + clockSkewMaxS * 1_000;
}

export type LoginKind = 'PASSWORD' | 'CHALLENGE';

export interface Session {
  /** UUID; the same for the life of the session. */
  id: string;
  /** `credentialVersion` of the account when the session began. */
  credentialVersion: number;
  /** jti of the one token that is valid. */
  tokenId: string;
  loginKind: LoginKind;
  startedAt: Date;
  /** Authoritative end of the current token (R-2.2-6). */
  expiresAt: Date;
  revokedAt: Date | null;
}

/** The data of its account that a session depends on. */
export interface SessionOwner {
  mode: 'BASIC' | 'BEARER';
  credentialVersion: number;
}

/** Why a token of the session is not accepted, or undefined when it is. */
export function objectionTo(session: Session, owner: SessionOwner, nowMs: number): 'ENDED' | 'JWT_DISABLED' | undefined {
  if (session.revokedAt !== null || session.credentialVersion !== owner.credentialVersion) return 'ENDED';
  // "Moment the token is rejected": at that millisecond it is rejected already.
  if (nowMs >= session.expiresAt.getTime()) return 'ENDED';
  return owner.mode === 'BEARER' ? undefined : 'JWT_DISABLED';
}
