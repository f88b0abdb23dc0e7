import { generateWebhookKey, KeyRing, webhookKeyAad, WebhookKeySealer } from '@paycode/crypto';
import { randomUUID } from 'node:crypto';

/** A webhook key as it is stored: sealed, and bound to its merchant and id. */
export interface SealedWebhookKey {
  keyId: string;
  sealedKey: string;
}

/** Makes and reveals webhook keys; at rest they are sealed (T-14, A-49). */
export class WebhookKeys {
  private readonly sealer: WebhookKeySealer;

  /** `keyEncryptionKeys`: `kid:base64,…`. @throws KeyRingError */
  constructor(keyEncryptionKeys: string) {
    this.sealer = new WebhookKeySealer(KeyRing.parse(keyEncryptionKeys));
  }

  /** A new key of 16 random bytes. */
  create(merchantId: number): SealedWebhookKey {
    const keyId = randomUUID();
    const sealedKey = this.sealer.seal(Buffer.from(generateWebhookKey(), 'hex'), webhookKeyAad(merchantId, keyId));
    return { keyId, sealedKey };
  }

  /** 32 lower-case hexadecimal characters (R-2.4-4), for the answer of addHttp and renewKey only. @throws SealedKeyError */
  reveal(merchantId: number, { keyId, sealedKey }: SealedWebhookKey): string {
    return this.sealer.open(sealedKey, webhookKeyAad(merchantId, keyId)).toString('hex');
  }

  /** The same key under the current key-encryption key; undefined when it is already. @throws SealedKeyError */
  resealed(merchantId: number, { keyId, sealedKey }: SealedWebhookKey): string | undefined {
    if (this.sealer.isCurrent(sealedKey)) return undefined;
    return this.sealer.reseal(sealedKey, webhookKeyAad(merchantId, keyId));
  }
}
