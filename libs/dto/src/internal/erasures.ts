/** State of a stored notification with regard to the erasure of its payer's data. */
export type ErasureState =
  /** Decided, and holds data of the payer. */
  | 'ERASABLE'
  /** Holds no data of the payer (any more). */
  | 'ERASED'
  /** Not decided, or a repeat still needs it: it is not changed. */
  | 'UNDECIDED'
  /** No key of the ring opens it, or it breaks a rule of notifications: it is not changed. */
  | 'UNREADABLE'
  /** Not stored here (any more). */
  | 'UNKNOWN';

/** One line of the answers of POST /internal/erasures/preview and POST /internal/erasures. */
export interface ErasureItem {
  transactionId: number;
  state: ErasureState;
  merchantId: number | null;
  /** When the notification was stored, ISO 8601 UTC. */
  storedAt: string | null;
  /** Names of the fields that hold data of the payer, never their values. */
  holds: string[];
  /**
   * The purchase that this one refunds or reverses, and its own refunds and reversals, as far as this service knows: they have the same payer.
   */
  relatedIds: number[];
}

/** Answer of POST /internal/erasures/search: one page of the stored notifications, by ascending id. */
export interface PayerSearchPage {
  transactionIds: number[];
  looked: number;
  /** `afterId` of the next page; null when there is none. */
  nextAfterId: number | null;
}
