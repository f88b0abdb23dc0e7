import type { EncryptionProfile, IsOpened, MerchantRecord, MerchantsSought, PortalNotifications } from '@paycode/dto';
import type { Origin } from '../audit';
import type { ConfigurationChange } from './domain/configuration-change';
import type { HttpNotification, NotificationConfiguration } from './domain/notification-configuration';
import type { NotifiedMerchant } from './domain/test-notification';

/** The merchants that a caller may manage: those of a PSP, those of an acquirer, or all (operator). */
export type Owner = { pspId: number } | { acquirer: string } | 'OPERATOR';

export interface Target {
  merchantId: number;
  owner: Owner;
}

export interface ChangedConfiguration {
  before: NotificationConfiguration;
  after: NotificationConfiguration;
}

export abstract class ConfigurationStore {
  /** undefined: there is no such merchant, or the caller may not manage it; ownership is part of the query (T-24). */
  abstract find(target: Target): Promise<NotificationConfiguration | undefined>;
  /**
   * Locks the merchant's row, and applies the change that `plan` makes from the current configuration, with its audit events and
   * notice, in one transaction. An error of `plan` rolls everything back. undefined: as for `find`.
   */
  abstract change(
    request: Target & { origin: Origin },
    plan: (current: NotificationConfiguration) => ConfigurationChange,
  ): Promise<ChangedConfiguration | undefined>;
}

/** What the portal shows. */
export abstract class PortalReader {
  /** Of that owner, the smallest ids first, at most 1,000; by name at most 50. */
  abstract merchantsOf(owner: MerchantsSought): Promise<MerchantRecord[]>;
  /** @throws DomainError 404 */
  abstract notificationsOf(merchantId: number): Promise<PortalNotifications>;
}

/** What became of a test notification, for the audit log. */
export interface TestRecord {
  transactionId: number;
  outcome: string;
  isOpened: IsOpened;
  askedBy: string | undefined;
}

/** Where a test notification goes, and under which key. */
export interface TestReceiver {
  merchant: NotifiedMerchant;
  encryption: EncryptionProfile;
  http: HttpNotification | null;
}

export abstract class TestReceivers {
  /** @throws DomainError 404 */
  abstract find(merchantId: number): Promise<TestReceiver>;
  /** Writes down who sent it. */
  abstract record(merchantId: number, origin: Origin, sent: TestRecord): Promise<void>;
}
