import { createHash } from 'node:crypto';

/** The request that the platform sends to a receiver's URL, header by header. */
export interface WebhookRequest {
  headers: Record<string, string>;
  body: string;
}

const userAgent = 'Paycode/0.1.0';

/** Sent before a URL is stored; never encrypted. */
export function probeRequest(): WebhookRequest {
  return {
    body: '{"result":"TEST"}',
    headers: { 'Content-Type': 'application/json', 'User-Agent': userAgent, Accept: '*/*', 'Accept-Encoding': 'identity' },
  };
}

/** An encrypted notification. `key`: the one that encrypts the body, or that it claims; `attempt`: 1, 2, … of the same transaction. */
export function notificationRequest(
  body: string,
  { transactionId, key, attempt = 1 }: { transactionId: number; key: Buffer; attempt?: number },
) {
  return {
    body,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'User-Agent': userAgent,
      'X-Webhook-Encryption': 'AES-128-GCM',
      'X-Webhook-Key-Id': createHash('sha256').update(key).digest('hex').slice(0, 16),
      'X-Webhook-Transaction-Id': String(transactionId),
      'X-Webhook-Attempt': String(attempt),
      'X-Webhook-Timestamp': String(Math.floor(Date.now() / 1_000)),
    },
  } satisfies WebhookRequest;
}
