import type { Principal } from '../accounts';
import type { SecurityEvent } from '../audit';
import type { Session } from './domain/session';

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

export abstract class SessionStore {
  /** Stores the session and its security event in one transaction. */
  abstract open(session: Session, accountId: string, event: SecurityEvent): Promise<void>;
  /** Session and account as they are now; concurrent reads are merged into one query. */
  abstract find(sessionId: string): Promise<AccountSession | undefined>;
  /** Compare-and-set on the current token: of two concurrent renewals of one token exactly one gets true. */
  abstract renew(renewal: Renewal, nowMs: number): Promise<boolean>;
  /** Ends the session if that token is its current one; whether this call ended it. */
  abstract revoke(sessionId: string, tokenId: string, nowMs: number): Promise<boolean>;
}
