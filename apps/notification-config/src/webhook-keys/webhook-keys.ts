import {
  generateWebhookKey,
  KeyRing,
  openCredential,
  resealCredential,
  sealCredential,
  webhookKeyAad,
  WebhookKeySealer,
} from '@paycode/crypto';
import type { CredentialHeader } from '@paycode/dto';
import { randomUUID } from 'node:crypto';

/** A webhook key as it is stored: sealed, and bound to its merchant and id. */
export interface SealedWebhookKey {
  keyId: string;
  sealedKey: string;
}

/** The header field that the server at a URL demands, sealed and bound to merchant and URL; null: none. */
export interface SealedCredential {
  url: string;
  sealedCredential: string | null;
}

type Resealable = Pick<SealedWebhookKey, 'sealedKey'> & Pick<SealedCredential, 'sealedCredential'>;

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

  /** Write-only: what is sealed here leaves the platform in requests to that URL alone. */
  sealCredential(merchantId: number, url: string, header: CredentialHeader): string {
    return sealCredential(this.sealer, header, { merchantId, url });
  }

  /** For a request to that URL. @throws SealedKeyError */
  credentialOf(merchantId: number, { url, sealedCredential }: SealedCredential): Record<string, string> {
    return sealedCredential === null ? {} : openCredential(this.sealer, sealedCredential, { merchantId, url });
  }

  /** Key and credential under the current key-encryption key; undefined when they are already. @throws SealedKeyError */
  resealed(merchantId: number, stored: SealedWebhookKey & SealedCredential): Resealable | undefined {
    const { url, keyId, sealedKey, sealedCredential } = stored;
    const isCurrent = (sealed: string | null) => sealed === null || this.sealer.isCurrent(sealed);
    if (isCurrent(sealedKey) && isCurrent(sealedCredential)) return undefined;
    return {
      sealedKey: this.sealer.reseal(sealedKey, webhookKeyAad(merchantId, keyId)),
      sealedCredential: sealedCredential && resealCredential(this.sealer, sealedCredential, { merchantId, url }),
    };
  }
}
