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
