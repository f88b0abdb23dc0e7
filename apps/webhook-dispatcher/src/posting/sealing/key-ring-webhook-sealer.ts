import type { KeyObject } from 'node:crypto';
import { importWebhookKey, type PayloadSealer, webhookEnvelope, webhookKeyAad, type WebhookKeySealer } from '@paycode/crypto';
import type { Route } from '@paycode/dto';
import { WebhookSealer } from '../posting.ports';

const keysMax = 20_000;

/** Opens payloads with the platform's data keys and merchants' webhook keys with the key-encryption keys (T-14). */
export class KeyRingWebhookSealer extends WebhookSealer {
  /** Opened webhook keys by their sealed text: a renewed key has another text, so a stale one is never found. */
  private readonly opened = new Map<string, KeyObject>();

  constructor(
    private readonly payloads: PayloadSealer,
    private readonly webhookKeys: WebhookKeySealer,
  ) {
    super();
  }

  override bodyOf(payload: string, route: Route): { body: string; encryption: string } {
    const envelope = webhookEnvelope(route.encryption);
    return { body: envelope.encrypt(this.keyOf(route), this.payloads.open(payload)), encryption: envelope.headerValue };
  }

  private keyOf({ merchantId, keyId, sealedKey }: Route): KeyObject {
    if (sealedKey === null || keyId === null)
      throw Object.assign(new Error('a route without a key'), { code: 'ROUTE_WITHOUT_KEY' });
    const aad = webhookKeyAad(merchantId, keyId);
    // Bound to its merchant even in the cache.
    const name = `${aad} ${sealedKey}`;
    let key = this.opened.get(name);
    if (!key) {
      key = importWebhookKey(this.webhookKeys.open(sealedKey, aad));
      if (this.opened.size >= keysMax) this.opened.delete(this.opened.keys().next().value!);
      this.opened.set(name, key);
    }
    return key;
  }
}
