import type { Origin } from '../audit';
import type { SealedWebhookKey } from './webhook-keys';

export interface StoredWebhookKey extends SealedWebhookKey {
  merchantId: number;
}

export abstract class WebhookKeyStore {
  /** Keys of merchants after `merchantId`, in order of merchants. */
  abstract after(merchantId: number, limit: number): Promise<StoredWebhookKey[]>;
  /** Puts `sealedKey` in place of `key.sealedKey`; false when another one stands there meanwhile. */
  abstract replace(key: StoredWebhookKey, sealedKey: string, origin: Origin): Promise<boolean>;
}
