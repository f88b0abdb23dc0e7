import type { EncryptionProfile, MerchantRecord } from '@paycode/dto';
import type { Origin } from '../audit';

/** The merchants of the platform. */
export abstract class MerchantStore {
  /** Creates or replaces the record; the encryption profile and the notifications stay. */
  abstract save(record: MerchantRecord, origin: Origin): Promise<void>;
  abstract find(merchantId: number): Promise<MerchantRecord | undefined>;
  /** false: no such merchant. */
  abstract setEncryption(merchantId: number, profile: EncryptionProfile, origin: Origin): Promise<boolean>;
}
