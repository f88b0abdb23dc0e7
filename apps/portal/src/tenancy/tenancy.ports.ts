import type { MerchantOwner, MerchantRecord } from '@paycode/dto';

export abstract class MerchantDirectory {
  /** The smallest ids first, at most 1,000. What changed shows within seconds. */
  abstract merchantsOf(owner: MerchantOwner): Promise<MerchantRecord[]>;
}
