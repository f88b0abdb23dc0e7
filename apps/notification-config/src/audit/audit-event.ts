export type AuditKind =
  | 'MERCHANT_SAVED'
  | 'ENCRYPTION_CHANGED'
  | 'URL_SET'
  | 'URL_REMOVED'
  | 'KEY_CREATED'
  | 'KEY_RENEWED'
  | 'KEY_REVEALED'
  | 'KEY_RESEALED'
  | 'RECIPIENT_ADDED'
  | 'RECIPIENT_REMOVED'
  | 'TEST_SENT';

/** Who made the call. */
export interface Origin {
  /** Username, or `operator`. */
  actor: string;
  requestId: string;
}

/** An event of a merchant's configuration. It never has a key; recipients are masked. */
export interface AuditEvent {
  kind: AuditKind;
  detail?: Record<string, string>;
}
