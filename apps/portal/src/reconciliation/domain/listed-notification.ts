/** Delivery state of a notification, as docs/how-to/integrate.md names it. */
export type DeliveryState = 'PENDING' | 'DELIVERED' | 'READ' | 'REVERSED' | 'NOTICE';

/** A notification as the list names it: nothing of the payer, no amount, no key. Instants are ISO 8601 UTC. */
export interface ListedNotification {
  /** The parameter of getNotification. */
  transactionId: number;
  merchantId: number;
  /** As getNotification says it: `REVERSED` from the moment that the reversal of a payment has begun, or the payment network gave it back; the payment's own again when the reversal failed. */
  status: string;
  /** The merchantReference of the code. */
  reference: string;
  /** null: the payment had none. */
  code: string | null;
  /** 0, or the payment that this refund or reversal is about. */
  referenceTransactionId: number;
  /** When the transaction became final. */
  completedAt: string;
  /**
   * PENDING: a payment that nobody has acknowledged so far; without a URL nobody is asked, and it stays so. DELIVERED: your server answered 200 in time. READ: getNotification acknowledged it. REVERSED: the
   * money goes back, or is back. NOTICE: it moves no money by your answer, and nobody waits for one; so is a payment whose reversal failed.
   */
  delivery: DeliveryState;
  /** null: nobody has acknowledged it. */
  acknowledgedAt: string | null;
}

/** Facts that decide about the state. */
export interface DeliveryFacts {
  outcome: 'PENDING' | 'SETTLED' | 'REVERSED' | 'NO_MONEY';
  ackSource: 'WEBHOOK' | 'RECOVERY' | null;
}

export function deliveryOf({ outcome, ackSource }: DeliveryFacts): DeliveryState {
  if (outcome === 'NO_MONEY') return 'NOTICE';
  if (outcome !== 'SETTLED') return outcome;
  // Settled by nobody's acknowledgement: its reversal failed.
  if (ackSource === null) return 'NOTICE';
  return ackSource === 'RECOVERY' ? 'READ' : 'DELIVERED';
}
