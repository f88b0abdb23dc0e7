import type { Origin } from '../audit';
import type { Owner } from './notifications.ports';

/** The caller, the merchants that it may manage, and its origin for the audit log. */
export interface NotificationCaller {
  owner: Owner;
  origin: Origin;
}
