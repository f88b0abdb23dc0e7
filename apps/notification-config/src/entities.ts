import { MerchantEntity } from './merchants';
import { HttpNotificationEntity, RecipientEntity } from './notifications';

/** Tables that repositories read and write; the others are reached by SQL alone (ADR 0048). */
export const entities = [MerchantEntity, HttpNotificationEntity, RecipientEntity];
