import type { Origin } from '../audit';
import type { Owner } from './notifications.ports';

/** Who calls, whose merchants it may touch, and what the audit log writes down. */
export interface NotificationCaller {
  owner: Owner;
  origin: Origin;
}
