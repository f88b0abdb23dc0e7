import { Inject, Injectable } from '@nestjs/common';
import type { EncryptionProfile, MerchantRecord } from '@paycode/dto';
import { DataSource } from 'typeorm';
import { insertAuditEvents, type Origin } from '../../audit';
import { MerchantStore } from '../merchants.ports';

interface MerchantRow {
  merchant_id: string;
  merchant_name: string;
  psp_id: string | null;
  acquirer: string;
  status: MerchantRecord['status'];
}

@Injectable()
export class PostgresMerchantStore extends MerchantStore {
  constructor(@Inject(DataSource) private readonly dataSource: DataSource) {
    super();
  }

  override async save(record: MerchantRecord, origin: Origin): Promise<void> {
    const { merchantId, merchantName, pspId, acquirer, status } = record;
    await this.dataSource.transaction(async manager => {
      await manager.query(
        `insert into merchant (merchant_id, merchant_name, psp_id, acquirer, status) values ($1, $2, $3, $4, $5)
         on conflict (merchant_id) do update set merchant_name = excluded.merchant_name, psp_id = excluded.psp_id,
           acquirer = excluded.acquirer, status = excluded.status, changed_at = clock_timestamp()`,
        [merchantId, merchantName, pspId, acquirer, status],
      );
      const detail = { status, acquirer, pspId: String(pspId) };
      await insertAuditEvents(manager, { merchantId, origin }, [{ kind: 'MERCHANT_SAVED', detail }]);
    });
  }

  override async find(merchantId: number): Promise<MerchantRecord | undefined> {
    const rows = await this.dataSource.query<MerchantRow[]>(
      'select merchant_id, merchant_name, psp_id, acquirer, status from merchant where merchant_id = $1',
      [merchantId],
    );
    return rows[0] && recordOf(rows[0]);
  }

  override async setEncryption(merchantId: number, profile: EncryptionProfile, origin: Origin): Promise<boolean> {
    return this.dataSource.transaction(async manager => {
      const [, changed] = await manager.query<[unknown, number]>(
        'update merchant set encryption = $2, changed_at = clock_timestamp() where merchant_id = $1',
        [merchantId, profile],
      );
      if (changed === 0) return false;
      await insertAuditEvents(manager, { merchantId, origin }, [{ kind: 'ENCRYPTION_CHANGED', detail: { profile } }]);
      return true;
    });
  }
}

/** bigint comes back as text; ids are below 2^53. */
function recordOf(row: MerchantRow): MerchantRecord {
  return {
    merchantId: Number(row.merchant_id),
    merchantName: row.merchant_name,
    pspId: row.psp_id === null ? null : Number(row.psp_id),
    acquirer: row.acquirer,
    status: row.status,
  };
}
