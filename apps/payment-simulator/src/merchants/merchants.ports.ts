import type { MerchantRecord } from '@paycode/dto';

/** What notification-config knows about merchants. */
export abstract class MerchantDirectory {
  /** undefined: no such merchant. May be a few seconds old. */
  abstract find(merchantId: number): Promise<MerchantRecord | undefined>;
  /** Whether a notification URL is set now. */
  abstract hasNotificationUrl(merchantId: number): Promise<boolean>;
}
