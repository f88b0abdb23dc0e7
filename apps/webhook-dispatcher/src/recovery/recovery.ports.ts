import type { VerdictKind } from '@paycode/dto';

/** A stored notification, as far as its merchant may read it. */
export interface StoredNotification {
  transactionId: number;
  merchantId: number;
  /** Purchase with SUCCESS: reading it acknowledges it. */
  isReversible: boolean;
  /** Sealed TransactionNotificationV3 JSON. */
  payload: string;
  attemptsClaimed: number;
  verdict: VerdictKind | null;
}

export abstract class NotificationStore {
  abstract find(transactionId: number): Promise<StoredNotification | undefined>;
}

/** Acknowledges by reading. Resolves after the commit to the verdict that stands, whoever wrote it. */
export abstract class Acknowledgements {
  abstract acknowledge(notification: StoredNotification): Promise<VerdictKind>;
}

/** Who owns a merchant. @throws when it cannot be known now */
export abstract class MerchantOwners {
  abstract pspOf(merchantId: number): Promise<number | null>;
}

/** Opens a stored notification. @throws when it cannot be opened */
export abstract class NotificationOpener {
  abstract openText(payload: string): string;
}
