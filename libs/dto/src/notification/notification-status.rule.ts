import { own } from '../schema/field-rules.ts';
import { isNotificationStatus, namedNotificationStatuses, type NotificationStatus } from './notification-status.ts';

/** One of the 19 named values or `TIMEOUT_*` (R-3.2-1). */
export const notificationStatus = own<NotificationStatus>(
  {
    anyOf: [
      { type: 'string', enum: namedNotificationStatuses },
      { type: 'string', pattern: '^TIMEOUT_[A-Z0-9_]{1,48}$' },
    ],
  },
  'a NotificationStatus',
  isNotificationStatus,
);
