import { MerchantEntity } from './merchants';
import { HttpNotificationEntity, RecipientEntity } from './notifications';

/** Tables that repositories read and write; all others are used by SQL only (ADR 0048). */
export const entities = [MerchantEntity, HttpNotificationEntity, RecipientEntity];
