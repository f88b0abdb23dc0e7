import type { KeyObject } from 'node:crypto';
import {
  importWebhookKey,
  openCredential,
  type PayloadSealer,
  webhookEnvelope,
  webhookKeyAad,
  webhookKeyId,
  type WebhookKeySealer,
} from '@paycode/crypto';
import { inVersion, type Route } from '@paycode/dto';
import { BoundedMap } from '@paycode/service-runtime/timing';

/** As it is stored, and the version in which it leaves. */
export interface SealedNotification {
  payload: string;
  version: string;
}

/** A request body and the headers that say how to open it. */
export interface SealedBody {
  body: string;
  /** The value of `X-Webhook-Encryption`. */
  encryption: string;
  /** The value of `X-Webhook-Key-Id`. */
  keyId: string;
}

/** Opens stored payloads and makes webhook bodies. Synchronous: keys are in memory. */
export abstract class WebhookSealer {
  /** The request body and how it is encrypted. @throws when payload or key cannot be opened, or the version is not known here */
  abstract bodyOf(notification: SealedNotification, route: Route): SealedBody;

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
  private readonly opened = new BoundedMap<string, { key: KeyObject; keyId: string }>(keysMax);

  private readonly credentials = new BoundedMap<string, Readonly<Record<string, string>>>(credentialsMax);

  constructor(
    private readonly payloads: PayloadSealer,
    private readonly webhookKeys: WebhookKeySealer,
  ) {
    super();
  }

  override bodyOf({ payload, version }: SealedNotification, route: Route): SealedBody {
    const envelope = webhookEnvelope(route.encryption);
    const text = inVersion(version, this.payloads.open(payload));
    const { key, keyId } = this.keyOf(route);
    return { body: envelope.encrypt(key, text), encryption: envelope.headerValue, keyId };
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

  private keyOf({ merchantId, keyId, sealedKey }: Route): { key: KeyObject; keyId: string } {
    if (sealedKey === null || keyId === null)
      throw Object.assign(new Error('the route has no key'), { code: 'ROUTE_WITHOUT_KEY' });
    const aad = webhookKeyAad(merchantId, keyId);
    // The cache entry is bound to its merchant too.
    const name = `${aad} ${sealedKey}`;
    let opened = this.opened.get(name);
    if (!opened) {
      const key = importWebhookKey(this.webhookKeys.open(sealedKey, aad));
      opened = { key, keyId: webhookKeyId(key) };
      this.opened.set(name, opened);
    }
    return opened;
  }
}
