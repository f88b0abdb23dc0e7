import { DomainError } from '@paycode/service-runtime';
import type { NotificationConfiguration } from './domain/notification-configuration';

/** The same for a merchant that does not exist and one that belongs to another (R-7-9, A-43). */
export function notOwner(): DomainError {
  return new DomainError({ status: 400, reason: 'NOT_OWNER', message: "Invalid 'merchantId'" });
}

/** R-7-10. */
export function notificationNotSet(): DomainError {
  return new DomainError({ status: 400, reason: 'NOTIFICATION_NOT_SET', message: 'Please set notification first' });
}

/** */
export function tooManyRecipients(max: number): DomainError {
  return new DomainError({ status: 400, reason: 'TOO_MANY_RECIPIENTS', message: `a merchant has at most ${max} recipients` });
}

/** Ownership, then ACTIVE. @throws DomainError R-7-9, R-7-8 */
export function owned(configuration: NotificationConfiguration | undefined): NotificationConfiguration {
  if (!configuration) throw notOwner();
  if (configuration.status !== 'ACTIVE') {
    throw new DomainError({ status: 400, reason: 'MERCHANT_NOT_ACTIVE', message: "Merchant not in 'ACTIVE' state" });
  }
  return configuration;
}
