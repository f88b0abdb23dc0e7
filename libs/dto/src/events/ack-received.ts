/** The merchant acknowledged: by HTTP 200 to the webhook, or by reading the notification (recovery). */
export interface AckReceived {
  transactionId: number;
  merchantId: number;
  source: 'WEBHOOK' | 'RECOVERY';
  /** Delivery attempt the acknowledgement belongs to; 0 for a recovery before any attempt. */
  attempt: number;
  /** Milliseconds between the last request byte and the status line; null for RECOVERY. */
  elapsedMs: number | null;
  /** ISO 8601 UTC. */
  acknowledgedAt: string;
}
