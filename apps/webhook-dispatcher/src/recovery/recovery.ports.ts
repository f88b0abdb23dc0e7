import type { VerdictKind } from '@paycode/dto';

/** The part of a stored notification that its merchant may read. */
export interface StoredNotification {
  transactionId: number;
  merchantId: number;
  /** Purchase with SUCCESS: reading it acknowledges it. */
  isReversible: boolean;
  /** Sealed TransactionNotificationV3 JSON. */
  payload: string;
  attemptsClaimed: number;
  verdict: VerdictKind | null;
  /** Whether the core gave the money back: false when it only said that it could not, null when it said nothing. */
  isReversedByCore: boolean | null;
}

export abstract class NotificationStore {
  abstract find(transactionId: number): Promise<StoredNotification | undefined>;
}

/** Acknowledges a notification that was read, unless it has a verdict or the core has given the money back. Resolves after the commit. */
export abstract class Acknowledgements {
  abstract acknowledge(notification: StoredNotification): Promise<void>;
}

/** Tells the owner of a merchant. @throws when notification-config cannot be asked now */
export abstract class MerchantOwners {
  abstract pspOf(merchantId: number): Promise<number | null>;
}

/** Makes the request of an attempt without sending it. null: no URL is set. @throws when route or key cannot be read now */
export abstract class RequestMaker {
  abstract requestOf(notification: StoredNotification): Promise<{ headers: Record<string, string>; body: string } | null>;
}

/** Opens a stored notification. @throws when it cannot be opened */
export abstract class NotificationOpener {
  abstract openText(payload: string): string;
}
