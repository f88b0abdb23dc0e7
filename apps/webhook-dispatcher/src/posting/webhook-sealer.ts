import type { KeyObject } from 'node:crypto';
import {
  importWebhookKey,
  openCredential,
  type PayloadSealer,
  webhookEnvelope,
  webhookKeyAad,
  type WebhookKeySealer,
} from '@paycode/crypto';
import { inVersion, type Route } from '@paycode/dto';
import { BoundedMap } from '@paycode/service-runtime/timing';

/** As it is stored, and the version in which it leaves. */
export interface SealedNotification {
  payload: string;
  version: string;
}

/** Opens stored payloads and makes webhook bodies. Synchronous: keys are in memory. */
export abstract class WebhookSealer {
  /** The request body and the value of `X-Webhook-Encryption`. @throws when payload or key cannot be opened, or the version is not known here */
  abstract bodyOf(notification: SealedNotification, route: Route): { body: string; encryption: string };

  /** The header field that the merchant's server demands; without one, none. Nobody is shown it. @throws when it cannot be opened */
  credentialOf(_route: Route): Readonly<Record<string, string>> {
    return none;
  }
}

const none: Readonly<Record<string, string>> = {};
const keysMax = 20_000;
const credentialsMax = 5_000;

/** Opens payloads with the platform's data keys and merchants' webhook keys with the key-encryption keys (T-14). */
export class KeyRingWebhookSealer extends WebhookSealer {
  /** Decrypted webhook keys by their sealed text. A renewed key has another text, so the map never returns an old key. */
  private readonly opened = new BoundedMap<string, KeyObject>(keysMax);

  private readonly credentials = new BoundedMap<string, Readonly<Record<string, string>>>(credentialsMax);

  constructor(
    private readonly payloads: PayloadSealer,
    private readonly webhookKeys: WebhookKeySealer,
  ) {
    super();
  }

  override bodyOf({ payload, version }: SealedNotification, route: Route): { body: string; encryption: string } {
    const envelope = webhookEnvelope(route.encryption);
    const text = inVersion(version, this.payloads.open(payload));
    return { body: envelope.encrypt(this.keyOf(route), text), encryption: envelope.headerValue };
  }

  override credentialOf({ merchantId, url, sealedCredential }: Route): Readonly<Record<string, string>> {
    if (!sealedCredential || url === null) return none;
    const name = `${merchantId} ${url} ${sealedCredential}`;
    const known = this.credentials.get(name);
    if (known) return known;
    const opened = openCredential(this.webhookKeys, sealedCredential, { merchantId, url });
    this.credentials.set(name, opened);
    return opened;
  }

  private keyOf({ merchantId, keyId, sealedKey }: Route): KeyObject {
    if (sealedKey === null || keyId === null)
      throw Object.assign(new Error('the route has no key'), { code: 'ROUTE_WITHOUT_KEY' });
    const aad = webhookKeyAad(merchantId, keyId);
    // The cache entry is bound to its merchant too.
    const name = `${aad} ${sealedKey}`;
    let key = this.opened.get(name);
    if (!key) {
      key = importWebhookKey(this.webhookKeys.open(sealedKey, aad));
      this.opened.set(name, key);
    }
    return key;
  }
}
