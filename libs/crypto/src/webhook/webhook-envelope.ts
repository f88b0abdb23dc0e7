import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import type { EncryptionProfile } from '@paycode/dto';
import { gcmNonceBytes, randomNonce } from '../random/random-nonce';

/** The body cannot be decrypted: wrong key, changed in transit, or no envelope at all. Carries no payload data. */
export class WebhookEnvelopeError extends Error {
  override readonly name = 'WebhookEnvelopeError';

  constructor(cause?: unknown) {
    super('the webhook body cannot be decrypted with this key', { cause });
  }
}

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

// The older scheme, for receivers that support no other. A constant IV reveals equal beginnings, and nothing authenticates the body.
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

/** Encrypts the notification JSON to a webhook body, and decrypts it. Keys come from `importWebhookKey`. */
export interface WebhookEnvelope {
  readonly profile: EncryptionProfile;
  /** Value of the informative header `X-Webhook-Encryption`. */
  readonly headerValue: string;
  /** The body: base64 text (RFC 4648 section 4, padded, one line). */
  encrypt(key: KeyObject, plaintext: string | Buffer): string;
  /** The plaintext bytes. @throws WebhookEnvelopeError when the body is not what `encrypt` writes under this key. */
  decrypt(key: KeyObject, body: string): Buffer;
}

const envelopes: Record<EncryptionProfile, WebhookEnvelope> = {
  'AES-128-GCM': {
    profile: 'AES-128-GCM',
    headerValue: 'AES-128-GCM',
    encrypt: encryptAes128Gcm,
    decrypt: decryptAes128Gcm,
  },
  'AES-128-CBC-LEGACY': {
    profile: 'AES-128-CBC-LEGACY',
    headerValue: 'AES-128-CBC',
    encrypt: encryptAes128Cbc,
    decrypt: decryptAes128Cbc,
  },
};

/** The envelope of a profile. The legacy profile is unauthenticated and set by operators only, never by a caller of addHttp. */
export function webhookEnvelope(profile: EncryptionProfile): WebhookEnvelope {
  return envelopes[profile];
}
