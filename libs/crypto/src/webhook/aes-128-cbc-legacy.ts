import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { WebhookEnvelopeError } from './webhook-envelope.error';

// The older scheme, for receivers that support no other. A constant IV reveals equal beginnings, and nothing authenticates the
// body.
const zeroIv = Buffer.alloc(16);

/** base64(AES-128-CBC, zero IV, PKCS#7). Unauthenticated; see the decision "Legacy profile". */
export function encryptAes128Cbc(key: KeyObject, plaintext: string | Buffer): string {
  const cipher = createCipheriv('aes-128-cbc', key, zeroIv);
  const head = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
  return Buffer.concat([head, cipher.final()]).toString('base64');
}

/** The plaintext bytes. A changed body may decrypt to garbage: the scheme cannot tell. @throws WebhookEnvelopeError on bad padding */
export function decryptAes128Cbc(key: KeyObject, body: string): Buffer {
  try {
    const decipher = createDecipheriv('aes-128-cbc', key, zeroIv);
    return Buffer.concat([decipher.update(body, 'base64'), decipher.final()]);
  } catch (cause) {
    throw new WebhookEnvelopeError(cause);
  }
}
