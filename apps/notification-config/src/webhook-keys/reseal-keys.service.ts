import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { DataSource } from 'typeorm';
import { insertAuditEvents, type Origin } from '../audit';
import { type SealedCredential, type SealedWebhookKey, WebhookKeys } from './webhook-keys';

interface StoredWebhookKey extends SealedWebhookKey, SealedCredential {
  merchantId: number;
}

const webhookKeySql = {
  after: `select merchant_id::float8 as "merchantId", url, key_id as "keyId", sealed_key as "sealedKey",
                 sealed_credential as "sealedCredential"
            from http_notification where merchant_id > $1 order by merchant_id limit $2`,

  // Compares with the texts that were opened, so that a key or credential changed meanwhile stays. changed_at stays too, because the
  // route is the same.
  replace: `update http_notification set sealed_key = $3, sealed_credential = $5
             where merchant_id = $1 and sealed_key = $2 and sealed_credential is not distinct from $4`,
} as const;

/** The sealed keys of all merchants. */
@Injectable()
export class WebhookKeyStore {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {}

  /** Keys of merchants after `merchantId`, in order of merchants. */
  after(merchantId: number, limit: number): Promise<StoredWebhookKey[]> {
    return this.dataSource.query<StoredWebhookKey[]>(webhookKeySql.after, [merchantId, limit]);
  }

  /** Replaces what is sealed; false when it has changed meanwhile. */
  async replace(
    old: StoredWebhookKey,
    fresh: Pick<StoredWebhookKey, 'sealedKey' | 'sealedCredential'>,
    origin: Origin,
  ): Promise<boolean> {
    const { merchantId, keyId } = old;
    const values = [merchantId, old.sealedKey, fresh.sealedKey, old.sealedCredential, fresh.sealedCredential];
    return this.dataSource.transaction(async manager => {
      const [, replaced] = await manager.query<[unknown, number]>(webhookKeySql.replace, values);
      if (replaced === 0) return false;
      await insertAuditEvents(manager, { merchantId, origin }, [{ kind: 'KEY_RESEALED', detail: { keyId } }]);
      return true;
    });
  }
}

const pageMax = 200;

export interface Resealed {
  /** Number of keys that this run sealed under the current key-encryption key. */
  resealed: number;
  /** Number of keys that were sealed under it before. */
  current: number;
  /** Number of keys that could not be opened or changed meanwhile: run again, and do not retire the old key-encryption key yet. */
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
      const fresh = this.keys.resealed(key.merchantId, key);
      if (fresh === undefined) return 'current';
      return (await this.store.replace(key, fresh, origin)) ? 'resealed' : 'left';
    } catch (error) {
      this.log.error({ event: 'key-not-resealed', merchantId: key.merchantId, err: error }, 'webhook key could not be resealed');
      return 'left';
    }
  }
}
