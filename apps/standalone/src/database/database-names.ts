/** The one database of each service that owns one, and the log database of the PostgreSQL event transport. */
export const databaseNames = {
  'auth-session': 'paycode_auth_session',
  'notification-config': 'paycode_notification_config',
  'webhook-dispatcher': 'paycode_webhook_dispatcher',
  'reversal-scheduler': 'paycode_reversal_scheduler',
  'payment-simulator': 'paycode_payment_simulator',
  events: 'paycode_events',
} as const;

export type DatabaseOwner = keyof typeof databaseNames;

/** URL of each database. */
export type DatabaseUrls = Record<DatabaseOwner, string>;
