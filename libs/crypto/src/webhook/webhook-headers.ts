import type { WebhookKeySealer } from '../sealing/webhook-key-sealer';

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

/** Whose credential it is, and to which URL alone it may go. */
interface SealedFor {
  merchantId: number;
  url: string;
}

/**
 * The text that a sealed credential is bound to. At another URL it cannot be opened, so that a person who may set a URL and does not know the
 * credential cannot have it sent to a server of their own (T-59).
 */
function aadOf({ merchantId, url }: SealedFor): string {
  return `receiver-credential:${merchantId}:${url}`;
}

/** Seals one header field, as `name:value`. */
export function sealCredential(sealer: WebhookKeySealer, header: { name: string; value: string }, sealedFor: SealedFor): string {
  return sealer.seal(Buffer.from(`${header.name}:${header.value}`), aadOf(sealedFor));
}

/** The header field by its name. @throws SealedKeyError */
export function openCredential(sealer: WebhookKeySealer, sealed: string, sealedFor: SealedFor): Record<string, string> {
  const text = sealer.open(sealed, aadOf(sealedFor)).toString();
  const colonAt = text.indexOf(':');
  return { [text.slice(0, colonAt)]: text.slice(colonAt + 1) };
}

/** The same credential under the current key-encryption key. @throws SealedKeyError */
export function resealCredential(sealer: WebhookKeySealer, sealed: string, sealedFor: SealedFor): string {
  return sealer.reseal(sealed, aadOf(sealedFor));
}
