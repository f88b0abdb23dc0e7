/** An event of an account for the append-only log: who, what, when, from which address; never a secret. */
export interface SecurityEvent {
  kind: SecurityEventKind;
  /** Username of the account; null when no account has that identity. */
  subject: string | null;
  origin: Origin;
  /** A few fixed words, e.g. `challenge` or `password`. */
  detail?: string;
}

export type SecurityEventKind =
  | 'ACCOUNT_CREATED'
  | 'PASSWORD_GENERATED'
  | 'BEARER_ENABLED'
  | 'PUBLIC_KEY_REGISTERED'
  | 'CHALLENGE_RULE_CHANGED'
  | 'SOURCES_CHANGED'
  | 'RATE_CHANGED'
  | 'KEYS_ROTATED'
  | 'LOGIN_SUCCEEDED'
  | 'LOGIN_FAILED'
  | 'SESSION_RENEWED'
  | 'SESSION_ENDED'
  | 'SESSIONS_ENDED'
  | 'TOKEN_REUSED'
  | 'LOGIN_DOWNGRADED'
  | 'GUESSING_DELAYED'
  | 'GUESSING_ALERT'
  | CountedKind;

/** Events that are too frequent for one row each (EventCounts). */
export type CountedKind =
  /** Basic credentials were right, or wrong, refused ones included. */
  | 'BASIC_USED'
  | 'BASIC_FAILED'
  /** An account asked for a path its role does not permit: 403. */
  | 'ACCESS_DENIED'
  /** An account was allowed to use a path that returns personal data of payers or recipients. */
  | 'PERSONAL_DATA_READ'
  /** A right credential from an address that is not on the list of its account (T-15). */
  | 'SOURCE_REFUSED';

/** A client with its address. */
export interface ClientOrigin extends Origin {
  address: string;
}

/** The caller, and its address. */
export interface Origin {
  /** `operator` with the person's name, the name of a service, or `client`. */
  actor: string;
  /** Client address; null for internal calls. */
  address: string | null;
  requestId: string;
}

/** The append-only log of security events. */
export abstract class SecurityLog {
  /** Rejects when the event could not be written. */
  abstract record(event: SecurityEvent): Promise<void>;
  /** Records each event with its own time. It logs and drops an event that can never be stored; it rejects when it could write none. */
  abstract recordAll(events: readonly { event: SecurityEvent; at: Date }[]): Promise<void>;
}
