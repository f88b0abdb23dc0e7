import type { Origin } from '../audit';
import type { ConfigurationChange } from './domain/configuration-change';
import type { NotificationConfiguration } from './domain/notification-configuration';

/** Whose merchants a caller may touch: a PSP's own, an acquirer's own, or any (operator). */
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
  /** undefined: no such merchant, or another's; ownership is part of the query (T-24). */
  abstract find(target: Target): Promise<NotificationConfiguration | undefined>;
  /**
   * Applies what `plan` makes of the current configuration while the merchant's row is locked, with its audit events and notice, in one
   * transaction. What `plan` throws undoes everything. undefined: as for `find`.
   */
  abstract change(
    request: Target & { origin: Origin },
    plan: (current: NotificationConfiguration) => ConfigurationChange,
  ): Promise<ChangedConfiguration | undefined>;
}
