import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EncryptionProfile, MerchantRecord } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { Repository } from 'typeorm';
import { insertAuditEvents, type Origin } from '../audit';
import { MerchantEntity } from '../entities';
import { RouteLease } from '../routes/route-lease';
import { recordOf } from './merchant-reader';

/** The merchants of the platform. */
@Injectable()
export class MerchantStore {
  constructor(@InjectRepository(MerchantEntity) private readonly merchants: Repository<MerchantEntity>) {}

  /** Creates or replaces the record; the encryption profile and the notifications stay. */
  async save({ merchantId, merchantName, pspId, acquirer, status }: MerchantRecord, origin: Origin): Promise<void> {
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

  async find(merchantId: number): Promise<MerchantRecord | undefined> {
    const found = await this.merchants.findOneBy({ merchantId });
    return found ? recordOf(found) : undefined;
  }

  /** false: no such merchant. */
  async setEncryption(merchantId: number, encryption: EncryptionProfile, origin: Origin): Promise<boolean> {
    return this.merchants.manager.transaction(async manager => {
      const { affected } = await manager.update(MerchantEntity, { merchantId }, { encryption, changedAt });
      if (affected === 0) return false;
      const detail = { profile: encryption };
      await insertAuditEvents(manager, { merchantId, origin }, [{ kind: 'ENCRYPTION_CHANGED', detail }]);
      return true;
    });
  }
}

/** Flow: operator -> merchant record. A change of the encryption profile is answered when no dispatcher may use the old one. */
@Injectable()
export class MerchantsService {
  constructor(
    private readonly store: MerchantStore,
    private readonly lease: RouteLease,
  ) {}

  async save(record: MerchantRecord, origin: Origin): Promise<MerchantRecord> {
    await this.store.save(record, origin);
    return record;
  }

  /** @throws DomainError 404 */
  async find(merchantId: number): Promise<MerchantRecord> {
    const record = await this.store.find(merchantId);
    if (!record) throw merchantNotFound();
    return record;
  }

  /** @throws DomainError 404 */
  async setEncryption(merchantId: number, profile: EncryptionProfile, origin: Origin): Promise<void> {
    if (!(await this.store.setEncryption(merchantId, profile, origin))) throw merchantNotFound();
    await this.lease.runsOut();
  }
}

/** For operators only: PSPs and acquirers never learn whether a merchant exists. */
export function merchantNotFound(): DomainError {
  return new DomainError({ status: 404, reason: 'MERCHANT_NOT_FOUND', message: 'Not Found' });
}

const changedAt = () => 'clock_timestamp()';
