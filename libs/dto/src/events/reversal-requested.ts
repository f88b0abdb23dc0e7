export const reversalReasons = ['NON_200', 'CONNECTION', 'TIMEOUT', 'NEVER_SENT', 'BACKSTOP'] as const;

export type ReversalReason = (typeof reversalReasons)[number];

/** The payment must be reversed. Idempotent by transactionId. */
export interface ReversalRequested {
  transactionId: number;
  merchantId: number;
  reason: ReversalReason;
  /** ISO 8601 UTC. */
  requestedAt: string;
}
