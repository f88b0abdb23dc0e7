/** The database of each service that owns one, and the database of the PostgreSQL event log. */
export const databaseNames = {
  'auth-session': 'paycode_auth_session',
  'notification-config': 'paycode_notification_config',
  'webhook-dispatcher': 'paycode_webhook_dispatcher',
  'reversal-scheduler': 'paycode_reversal_scheduler',
  'recipient-messages': 'paycode_recipient_messages',
  'payment-simulator': 'paycode_payment_simulator',
  portal: 'paycode_portal',
  events: 'paycode_events',
} as const;

export type DatabaseOwner = keyof typeof databaseNames;

/**
 * Role that owns the schema of auth-session: so the service can add to the security log and not rewrite it. The other services own
 * their schemas.
 */
export const authSchemaOwner = { secret: 'auth-session-owner', role: 'paycode_auth_session_owner' } as const;

/** Logins with their own password. */
export type DatabaseLogin = DatabaseOwner | typeof authSchemaOwner.secret;

/** The services that publish or consume events. */
export const eventLogUsers = [
  'webhook-dispatcher',
  'reversal-scheduler',
  'recipient-messages',
  'payment-simulator',
  'portal',
] as const;

/** URL of each service's own database. */
export type DatabaseUrls = Record<Exclude<DatabaseOwner, 'events'>, string>;

/** URL for the migrations of a service whose own role owns no table. */
export type SchemaOwnerUrls = { 'auth-session'?: string };

/** URL of the event log for each service that uses it: one database, a login of each service's own. */
export type EventLogUrls = Record<(typeof eventLogUsers)[number], string>;
