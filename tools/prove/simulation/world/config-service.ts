import { noRecipients, type Route } from '@paycode/dto';
import type { Timeline } from '../engine/timeline.ts';

const leaseMs = 1_000;

interface MerchantConfig {
  origin: string | null;
  path: string;
  keyVersion: number;
}

/** notification-config as dispatchers see it: routes under a lease; a new key is in force once its renewal was answered. */
export class ConfigService {
  isDown = false;
  private readonly merchants = new Map<number, MerchantConfig>();
  /** Keys whose replacement was answered, by merchant: no request may start with one any more. */
  private readonly replaced = new Map<number, number>();

  constructor(private readonly timeline: Timeline) {}

  add(merchantId: number, origin: string | null, path = '/hook'): void {
    this.merchants.set(merchantId, { origin, path, keyVersion: 1 });
    this.replaced.set(merchantId, 0);
  }

  routes(merchantIds: readonly number[], lease: number): Route[] {
    return merchantIds.map(merchantId => {
      const { origin, path, keyVersion } = this.merchants.get(merchantId)!;
      return {
        merchantId,
        url: origin === null ? null : `${origin}${path}`,
        version: 'V3',
        encryption: 'AES-128-GCM',
        sealedKey: 'sealed',
        keyId: String(keyVersion),
        sealedCredential: null,
        hasClientCertificate: false,
        recipients: noRecipients,
        pspId: 1,
        leaseMs: lease,
      };
    });
  }

  /** A new key; the renewal is answered when every lease of the old one has run out. */
  renewKey(merchantId: number): void {
    const config = this.merchants.get(merchantId)!;
    const former = config.keyVersion++;
    this.timeline.trace(`key ${former} of merchant ${merchantId} is replaced`);
    this.timeline.after(leaseMs, () => this.replaced.set(merchantId, Math.max(this.replaced.get(merchantId)!, former)));
  }

  isReplaced(merchantId: number, keyVersion: number): boolean {
    return keyVersion <= this.replaced.get(merchantId)!;
  }
}
