import type { MerchantRecord } from '@paycode/dto';

/** Merchants from notification-config. */
export abstract class MerchantDirectory {
  /** undefined: no such merchant. May be a few seconds old. */
  abstract find(merchantId: number): Promise<MerchantRecord | undefined>;
  /** Whether a notification URL is set now. */
  abstract hasNotificationUrl(merchantId: number): Promise<boolean>;
}
