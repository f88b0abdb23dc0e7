import type { Origin } from '../audit';
import type { SealedWebhookKey } from './webhook-keys';

export interface StoredWebhookKey extends SealedWebhookKey {
  merchantId: number;
}

export abstract class WebhookKeyStore {
  /** Keys of merchants after `merchantId`, in order of merchants. */
  abstract after(merchantId: number, limit: number): Promise<StoredWebhookKey[]>;
  /** Replaces `key.sealedKey` by `sealedKey`; false when it has changed meanwhile. */
  abstract replace(key: StoredWebhookKey, sealedKey: string, origin: Origin): Promise<boolean>;
}
