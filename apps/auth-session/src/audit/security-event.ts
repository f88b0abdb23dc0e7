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
  | 'GUESSING_DELAYED'
  | 'GUESSING_ALERT';

/** Who asked, and from where. */
export interface Origin {
  /** `operator`, the name of a service, or `client`. */
  actor: string;
  /** Client address; null for internal calls. */
  address: string | null;
  requestId: string;
}
