import { createHash, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';

/** Length of a webhook key: 16 bytes, shown to merchants as 32 hexadecimal characters (R-2.4-4). */
export const webhookKeyBytes = 16;

const keyText = /^[0-9a-f]{32}$/i;

/** A new random webhook key as 32 lower-case hexadecimal characters. */
export function generateWebhookKey(): string {
  return randomBytes(webhookKeyBytes).toString('hex');
}

/**
 * A webhook key ready for `WebhookEnvelope`: from 32 hexadecimal characters or 16 bytes. Import a key once and use it often:
 * an encryption with a KeyObject costs a third of one with raw bytes. @throws RangeError; its text never contains the key
 */
export function importWebhookKey(key: string | Buffer): KeyObject {
  if (typeof key === 'string' && !keyText.test(key)) throw new RangeError('a webhook key is 32 hexadecimal characters');
  const bytes = typeof key === 'string' ? Buffer.from(key, 'hex') : key;
  if (bytes.length !== webhookKeyBytes) throw new RangeError(`a webhook key has ${webhookKeyBytes} bytes, not ${bytes.length}`);
  return createSecretKey(bytes);
}

const idCharsMax = 16;

/** Names a key in `X-Webhook-Key-Id`: the first 8 bytes of its SHA-256, which tell nothing about 16 random bytes. Receivers derive it too. */
export function webhookKeyId(key: KeyObject): string {
  return createHash('sha256').update(key.export()).digest('hex').slice(0, idCharsMax);
}
