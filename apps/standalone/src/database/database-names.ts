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

/** The services that publish or consume events. */
export const eventLogUsers = ['webhook-dispatcher', 'reversal-scheduler', 'payment-simulator'] as const;

/** URL of each service's own database. */
export type DatabaseUrls = Record<Exclude<DatabaseOwner, 'events'>, string>;

/** URL of the event log for each service that uses it: one database, a login of each service's own. */
export type EventLogUrls = Record<(typeof eventLogUsers)[number], string>;
