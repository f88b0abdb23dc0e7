export interface WebhookHeaderFacts {
  transactionId: number;
  attempt: number;
  /** Of the envelope: `headerValue`. */
  encryption: string;
  /** Of the key that encrypts the body: `webhookKeyId`. */
  keyId: string;
  epochMs: number;
}

/** Header fields of a notification, real or a test. Nothing personal is in a header (decision "Webhook headers"). */
export function webhookHeaders({
  transactionId,
  attempt,
  encryption,
  keyId,
  epochMs,
}: WebhookHeaderFacts): Record<string, string> {
  return {
    'content-type': 'text/plain; charset=utf-8',
    'x-webhook-encryption': encryption,
    'x-webhook-key-id': keyId,
    'x-webhook-transaction-id': String(transactionId),
    'x-webhook-attempt': String(attempt),
    'x-webhook-timestamp': String(Math.floor(epochMs / 1_000)),
  };
}
