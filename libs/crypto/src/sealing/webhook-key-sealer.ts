import { createCipheriv, createDecipheriv } from 'node:crypto';
import { gcmNonceBytes, randomNonce } from '../random/random-nonce';
import type { KeyRing } from './key-ring';

const version = 'v1';
const tagBytes = 16;
/** Of the longest credential of a receiver. */
const sealedCharsMax = 2_048;

/** The text that a sealed webhook key is bound to. In the row of another merchant or key id the key cannot be opened (T-14). */
export function webhookKeyAad(merchantId: number, keyId: string): string {
  return `webhook-key:${merchantId}:${keyId}`;
}

/** Why a sealed webhook key could not be opened; carries no key data. */
export class SealedKeyError extends Error {
  override readonly name = 'SealedKeyError';

  constructor(
    readonly code: 'MALFORMED' | 'UNKNOWN_KEY' | 'NOT_AUTHENTIC',
    options?: { cause?: unknown },
  ) {
    super(`sealed webhook key: ${code}`, options);
  }
}

/**
 * Webhook keys at rest: `v1.{kekId}.{base64url(nonce12 | ciphertext | tag16)}`, AES-256-GCM under a key-encryption key, AAD from
 * `webhookKeyAad`. They must be recoverable, so they are sealed and not hashed.
 */
export class WebhookKeySealer {
  constructor(private readonly ring: KeyRing) {}

  /** Seals the raw bytes of a webhook key under the current key-encryption key. */
  seal(webhookKey: Buffer, aad: string): string {
    const nonce = randomNonce();
    const cipher = createCipheriv('aes-256-gcm', this.ring.current(), nonce);
    cipher.setAAD(Buffer.from(aad, 'utf8'));
    const sealed = Buffer.concat([nonce, cipher.update(webhookKey), cipher.final(), cipher.getAuthTag()]);
    return `${version}.${this.ring.currentKid}.${sealed.toString('base64url')}`;
  }

  /** The raw bytes of the webhook key. @throws SealedKeyError */
  open(sealedKey: string, aad: string): Buffer {
    const { kid, sealed } = split(sealedKey);
    const key = this.ring.find(kid);
    if (!key) throw new SealedKeyError('UNKNOWN_KEY');
    const tagStart = sealed.length - tagBytes;
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, gcmNonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(aad, 'utf8'));
      decipher.setAuthTag(sealed.subarray(tagStart));
      return Buffer.concat([decipher.update(sealed.subarray(gcmNonceBytes, tagStart)), decipher.final()]);
    } catch (cause) {
      throw new SealedKeyError('NOT_AUTHENTIC', { cause });
    }
  }

  /** Whether the key is sealed under the current key-encryption key, so that rotation can skip it. */
  isCurrent(sealedKey: string): boolean {
    return split(sealedKey).kid === this.ring.currentKid;
  }

  /** The same webhook key under the current key-encryption key; the caller stores it in place of the old text. @throws SealedKeyError */
  reseal(sealedKey: string, aad: string): string {
    return this.seal(this.open(sealedKey, aad), aad);
  }
}

function split(sealedKey: string): { kid: string; sealed: Buffer } {
  const parts = sealedKey.length <= sealedCharsMax ? sealedKey.split('.', 4) : [];
  const [prefix, kid, encoded] = parts;
  if (parts.length !== 3 || prefix !== version || !kid || !encoded) throw new SealedKeyError('MALFORMED');
  const sealed = Buffer.from(encoded, 'base64url');
  if (sealed.length <= gcmNonceBytes + tagBytes) throw new SealedKeyError('MALFORMED');
  return { kid, sealed };
}
