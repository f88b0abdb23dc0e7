/** What happened to an account, for the append-only log: who, what, when, from where; never a secret. */
export interface SecurityEvent {
  kind: SecurityEventKind;
  /** Username the event is about; null when the identity is not an account of ours. */
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

/** Events too frequent for a row each (EventCounts). */
export type CountedKind =
  /** Basic credentials were right, or wrong, refused ones included. */
  | 'BASIC_USED'
  | 'BASIC_FAILED'
  /** An account asked for a path its role does not permit: 403. */
  | 'ACCESS_DENIED'
  /** An account was let through to a path that answers personal data of payers or of recipients. */
  | 'PERSONAL_DATA_READ'
  /** A right credential from an address its account does not call from (T-15). */
  | 'SOURCE_REFUSED';

/** A client, and where it came from. */
export interface ClientOrigin extends Origin {
  address: string;
}

/** Who asked, and from where. */
export interface Origin {
  /** `operator` and who of them, the name of a service, or `client`. */
  actor: string;
  /** Client address; null for internal calls. */
  address: string | null;
  requestId: string;
}
