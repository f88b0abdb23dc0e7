import type { Principal } from '../accounts';
import type { SecurityEvent } from '../audit';
import type { LoginKind, Session } from './domain/session';

export interface AccountSession {
  session: Session;
  account: Principal;
}

export interface Renewal {
  sessionId: string;
  /** The token presented: it must still be the current one. */
  tokenId: string;
  newTokenId: string;
  newExpiresAt: Date;
}

/** Any genuine token of a session, current or not. */
export interface PresentedToken {
  sessionId: string;
  tokenId: string;
}

/** An open session, as operators see it. */
export interface LiveSession {
  id: string;
  loginKind: LoginKind;
  startedAt: Date;
  /** End of its current token. */
  expiresAt: Date;
}

export abstract class SessionStore {
  /** Stores the session and its security event in one transaction. */
  abstract open(session: Session, accountId: string, event: SecurityEvent): Promise<void>;
  /** Session and account as they are now; concurrent reads are merged into one query. */
  abstract find(sessionId: string): Promise<AccountSession | undefined>;
  /** Compare-and-set on the current token: of two concurrent renewals of one token exactly one gets true and writes the event. */
  abstract renew(renewal: Renewal, event: SecurityEvent, nowMs: number): Promise<boolean>;
  /** Ends the session; any of its tokens suffices. Returns whether this call ended it and wrote the event. */
  abstract end(sessionId: string, event: SecurityEvent, nowMs: number): Promise<boolean>;
  /**
   * Ends the session if the token is neither its current one nor the one that was replaced last, less than `graceMs` ago. Returns whether
   * this call ended it and wrote the event (ADR 0029).
   */
  abstract endReused(token: PresentedToken, event: SecurityEvent, time: { nowMs: number; graceMs: number }): Promise<boolean>;
  /** Open sessions of the account, newest first. */
  abstract live(username: string, nowMs: number, max: number): Promise<LiveSession[]>;
}
