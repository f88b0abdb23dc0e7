import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import type { Origin } from '../audit';
import { WebhookKeys } from './webhook-keys';
import { type StoredWebhookKey, WebhookKeyStore } from './webhook-keys.ports';

const pageMax = 200;

export interface Resealed {
  /** Number of keys that this run sealed under the current key-encryption key. */
  resealed: number;
  /** Number of keys that were sealed under it before. */
  current: number;
  /**
   * Number of keys that could not be opened or changed meanwhile: run again, and do not retire the old key-encryption key yet.
   */
  left: number;
}

/**
 * Flow: every stored key -> open with its key-encryption key -> seal under the current one. After that the old key-encryption key may be
 * retired. Webhook keys and their ids do not change, so deliveries continue meanwhile.
 */
@Injectable()
export class ResealKeysService {
  constructor(
    private readonly store: WebhookKeyStore,
    private readonly keys: WebhookKeys,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async reseal(origin: Origin): Promise<Resealed> {
    const sum: Resealed = { resealed: 0, current: 0, left: 0 };
    let page: StoredWebhookKey[] = [];
    do {
      page = await this.store.after(page.at(-1)?.merchantId ?? 0, pageMax);
      for (const key of page) sum[await this.resealOne(key, origin)] += 1;
    } while (page.length === pageMax);
    return sum;
  }

  private async resealOne(key: StoredWebhookKey, origin: Origin): Promise<keyof Resealed> {
    try {
      const sealedKey = this.keys.resealed(key.merchantId, key);
      if (sealedKey === undefined) return 'current';
      return (await this.store.replace(key, sealedKey, origin)) ? 'resealed' : 'left';
    } catch (error) {
      this.log.error({ event: 'key-not-resealed', merchantId: key.merchantId, err: error }, 'webhook key could not be resealed');
      return 'left';
    }
  }
}
