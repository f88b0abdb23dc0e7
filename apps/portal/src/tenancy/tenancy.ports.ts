import type { MerchantRecord, MerchantsSought } from '@paycode/dto';

export abstract class MerchantDirectory {
  /** The smallest ids first, at most 1,000; by name at most 50. What changed shows within seconds. */
  abstract merchantsOf(owner: MerchantsSought): Promise<MerchantRecord[]>;
}
