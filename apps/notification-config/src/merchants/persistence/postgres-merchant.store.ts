import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EncryptionProfile, MerchantRecord } from '@paycode/dto';
import { Repository } from 'typeorm';
import { insertAuditEvents, type Origin } from '../../audit';
import { MerchantStore } from '../merchants.ports';
import { MerchantEntity } from './merchant.entity';

const changedAt = () => 'clock_timestamp()';

@Injectable()
export class PostgresMerchantStore extends MerchantStore {
  constructor(@InjectRepository(MerchantEntity) private readonly merchants: Repository<MerchantEntity>) {
    super();
  }

  override async save({ merchantId, merchantName, pspId, acquirer, status }: MerchantRecord, origin: Origin): Promise<void> {
    await this.merchants.manager.transaction(async manager => {
      await manager
        .createQueryBuilder()
        .insert()
        .into(MerchantEntity)
        .values({ merchantId, merchantName, pspId, acquirer, status, changedAt })
        .orUpdate(['merchant_name', 'psp_id', 'acquirer', 'status', 'changed_at'], ['merchant_id'])
        .execute();
      const detail = { status, acquirer, pspId: String(pspId) };
      await insertAuditEvents(manager, { merchantId, origin }, [{ kind: 'MERCHANT_SAVED', detail }]);
    });
  }

  override async find(merchantId: number): Promise<MerchantRecord | undefined> {
    const found = await this.merchants.findOneBy({ merchantId });
    return found ? recordOf(found) : undefined;
  }

  override async setEncryption(merchantId: number, encryption: EncryptionProfile, origin: Origin): Promise<boolean> {
    return this.merchants.manager.transaction(async manager => {
      const { affected } = await manager.update(MerchantEntity, { merchantId }, { encryption, changedAt });
      if (affected === 0) return false;
      const detail = { profile: encryption };
      await insertAuditEvents(manager, { merchantId, origin }, [{ kind: 'ENCRYPTION_CHANGED', detail }]);
      return true;
    });
  }
}

/** What the operator interface shows of a merchant. */
function recordOf({ merchantId, merchantName, pspId, acquirer, status }: MerchantEntity): MerchantRecord {
  return { merchantId, merchantName, pspId, acquirer, status };
}
