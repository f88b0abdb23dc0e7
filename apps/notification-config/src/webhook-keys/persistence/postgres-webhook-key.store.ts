import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { insertAuditEvents, type Origin } from '../../audit';
import { type StoredWebhookKey, WebhookKeyStore } from '../webhook-keys.ports';
import { webhookKeySql as sql } from './webhook-key.sql';

interface KeyRow {
  merchant_id: string;
  key_id: string;
  sealed_key: string;
}

@Injectable()
export class PostgresWebhookKeyStore extends WebhookKeyStore {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {
    super();
  }

  override async after(merchantId: number, limit: number): Promise<StoredWebhookKey[]> {
    const rows = await this.dataSource.query<KeyRow[]>(sql.after, [merchantId, limit]);
    return rows.map(row => ({ merchantId: Number(row.merchant_id), keyId: row.key_id, sealedKey: row.sealed_key }));
  }

  override async replace(
    { merchantId, keyId, sealedKey: old }: StoredWebhookKey,
    sealedKey: string,
    origin: Origin,
  ): Promise<boolean> {
    return this.dataSource.transaction(async manager => {
      const [, replaced] = await manager.query<[unknown, number]>(sql.replace, [merchantId, old, sealedKey]);
      if (replaced === 0) return false;
      await insertAuditEvents(manager, { merchantId, origin }, [{ kind: 'KEY_RESEALED', detail: { keyId } }]);
      return true;
    });
  }
}
