import type { KeyObject } from 'node:crypto';
import type { EncryptionProfile } from '@paycode/dto';
import { decryptAes128Cbc, encryptAes128Cbc } from './aes-128-cbc-legacy';
import { decryptAes128Gcm, encryptAes128Gcm } from './aes-128-gcm';

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
