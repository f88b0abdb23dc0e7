import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { randomNonce, gcmNonceBytes } from '../random/random-nonce';
import { WebhookEnvelopeError } from './webhook-envelope.error';

const tagBytes = 16;

/** base64(nonce12 | ciphertext | tag16), empty AAD, a fresh nonce per call: a repeated POST never reuses one (T-23). */
export function encryptAes128Gcm(key: KeyObject, plaintext: string | Buffer): string {
  return encryptWithNonce(key, plaintext, randomNonce());
}

/** For test vectors only, therefore not exported from the library: a caller that picks nonces can break the cipher. */
export function encryptWithNonce(key: KeyObject, plaintext: string | Buffer, nonce: Buffer): string {
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const ciphertext = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
  cipher.final();
  const body = Buffer.allocUnsafe(gcmNonceBytes + ciphertext.length + tagBytes);
  body.set(nonce, 0);
  body.set(ciphertext, gcmNonceBytes);
  body.set(cipher.getAuthTag(), gcmNonceBytes + ciphertext.length);
  return body.toString('base64');
}

/** The plaintext bytes. A body changed in transit fails (R-6.2-7). @throws WebhookEnvelopeError */
export function decryptAes128Gcm(key: KeyObject, body: string): Buffer {
  const sealed = Buffer.from(body, 'base64');
  if (sealed.length < gcmNonceBytes + tagBytes) throw new WebhookEnvelopeError();
  const tagStart = sealed.length - tagBytes;
  try {
    const decipher = createDecipheriv('aes-128-gcm', key, sealed.subarray(0, gcmNonceBytes), { authTagLength: tagBytes });
    decipher.setAuthTag(sealed.subarray(tagStart));
    return Buffer.concat([decipher.update(sealed.subarray(gcmNonceBytes, tagStart)), decipher.final()]);
  } catch (cause) {
    throw new WebhookEnvelopeError(cause);
  }
}
