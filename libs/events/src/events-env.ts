import type { EnvKey, EnvOf } from '@paycode/service-runtime';

/** Keys of a service that publishes or consumes events. Spread them into the service's schema. */
export const eventsEnv = {
  EVENTS_TRANSPORT: {
    type: 'enum',
    values: ['postgres', 'kafka'],
    default: 'postgres',
    description: 'Where events go: a log in PostgreSQL (one machine, nothing else to run), or Kafka.',
  },
  EVENTS_DATABASE_URL: {
    type: 'string',
    secret: true,
    default: null,
    description:
      'PostgreSQL URL of the event log, shared by all services; needed with EVENTS_TRANSPORT=postgres. A direct connection, not a transaction pooler.',
  },
  KAFKA_BROKERS: {
    type: 'list',
    default: [],
    description: 'Bootstrap brokers as host:port; needed with EVENTS_TRANSPORT=kafka.',
  },
  KAFKA_TLS_CA_FILE: {
    type: 'string',
    default: null,
    description: 'PEM file of the authority that signed the certificates of the brokers; when it is set, TLS is used.',
  },
  KAFKA_SASL_USERNAME: {
    type: 'string',
    default: null,
    description: 'SCRAM-SHA-512 user; when it is set, SASL is used and TLS is required.',
  },
  KAFKA_SASL_PASSWORD: { type: 'string', secret: true, default: null, description: 'Password of KAFKA_SASL_USERNAME.' },
  KAFKA_SESSION_TIMEOUT_MS: {
    type: 'integer',
    unit: 'ms',
    default: 10_000,
    min: 6_000,
    max: 300_000,
    description: 'A consumer without a heartbeat for this long loses its partitions to the others of its group.',
  },
} as const satisfies Record<string, EnvKey<unknown>>;

export type EventsEnv = EnvOf<typeof eventsEnv>;
