import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

export const nonceBytes = 12;
export const tagBytes = 16;
const algorithm = 'aes-128-gcm';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Why a body cannot be opened; the codes of the receiver kits. */
export type RefusalCode = 'BAD_ENCODING' | 'TOO_SHORT' | 'NOT_AUTHENTIC';

/** The body is no envelope under any of the keys. Its text names neither body nor key. */
export class RefusedBody extends Error {
  override readonly name = 'RefusedBody';

  constructor(readonly code: RefusalCode) {
    super(`the body was refused: ${code}`);
  }
}

/** nonce (12 bytes), ciphertext, tag (16 bytes): AES-128-GCM without additional data, a fresh nonce per call. `key`: 16 bytes. */
export function sealed(text: string, key: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** The plaintext of a webhook body: base64 on one line, under the first of the keys that fits. @throws RefusedBody */
export function opened(body: string, keys: readonly Buffer[]): Buffer {
  if (!base64.test(body)) throw new RefusedBody('BAD_ENCODING');
  const bytes = Buffer.from(body, 'base64');
  if (bytes.length < nonceBytes + tagBytes) throw new RefusedBody('TOO_SHORT');
  for (const key of keys) {
    const plaintext = decrypted(bytes, key);
    if (plaintext) return plaintext;
  }
  throw new RefusedBody('NOT_AUTHENTIC');
}

function decrypted(bytes: Buffer, key: Buffer): Buffer | undefined {
  // Without authTagLength, Node 20 takes tags of 4 bytes.
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const head = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([head, decipher.final()]);
  } catch {
    return undefined; // another key, or changed on the way
  }
}

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
