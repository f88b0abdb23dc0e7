/** A stored notification as erasure sees it. */
export interface StoredNotification {
  transactionId: number;
  merchantId: number;
  storedAt: Date;
  /** TransactionNotificationV3 JSON sealed as compact JWE. */
  sealed: string;
  isDecided: boolean;
  relatedIds: number[];
}

/** The person who asked for the erasure, for the audit record. */
export interface ErasureOrigin {
  actor: string;
  requestId: string;
}

/** The notifications that a service keeps. */
export abstract class NotificationStore {
  abstract find(transactionIds: readonly number[]): Promise<StoredNotification[]>;
  /**
   * Locks the rows, replaces those for which `replace` returns a text, and records who did it, in one commit. Returns the rows as they were
   * before.
   */
  abstract replace(
    transactionIds: readonly number[],
    origin: ErasureOrigin,
    replace: (stored: StoredNotification) => string | undefined,
  ): Promise<StoredNotification[]>;
  /** Rows with an id above `afterId`, in ascending order. */
  abstract page(afterId: number, limit: number): Promise<{ transactionId: number; sealed: string }[]>;
}

/** Seals and opens notifications under the platform data key. */
export abstract class NotificationSealer {
  abstract seal(json: string): string;
  /** @throws when no key opens it */
  abstract openText(sealed: string): string;
}
