import { Injectable } from '@nestjs/common';
import type { EncryptionProfile, MerchantRecord } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { Origin } from '../audit';
import { RouteLease } from '../routes';
import { MerchantStore } from './merchants.ports';

/** Flow: operator -> merchant record. A change of the encryption profile is answered when no dispatcher may use the old one. */
@Injectable()
export class SaveMerchantService {
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
