import { cellEnv, eventsEnv } from '@paycode/events';
import { ownershipEnv } from '@paycode/ownership';
import { outboundEnv } from '@paycode/safe-http';
import { baseEnv, databaseEnv, defineEnv, internalCallsEnv, tracingEnv } from '@paycode/service-runtime';

/** Environment of the webhook dispatcher. */
export const env = defineEnv({
  ...baseEnv({ internal: 3103, public: 3203 }),
  ...databaseEnv,
  ...internalCallsEnv,
  ...eventsEnv,
  ...cellEnv,
  ...tracingEnv,
  ...outboundEnv,
  ...ownershipEnv,
  AUTH_SESSION_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3101',
    description: 'Internal base URL of auth-session, whose keys verify identities.',
  },
  NOTIFICATION_CONFIG_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3102',
    description: 'Internal base URL of notification-config, which knows the routes.',
  },
  REVERSAL_SCHEDULER_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3104',
    description: 'Internal base URL of reversal-scheduler, which arms reversals before each POST.',
  },
  PAYLOAD_KEYS: {
    tier: 'must',
    type: 'string',
    secret: true,
    description: 'Keys of sealed notifications, `kid:base64,kid:base64` of 32 bytes each; the first seals, all of them open.',
  },
  KEY_ENCRYPTION_KEYS: {
    tier: 'must',
    type: 'string',
    secret: true,
    description: 'Key-encryption keys of webhook keys, `kid:base64,kid:base64` of 32 bytes each; all of them open.',
  },
  ACK_WINDOW_MS: {
    tier: 'fixed',
    type: 'integer',
    unit: 'ms',
    default: 45_000,
    min: 100,
    max: 600_000,
    description: 'Acknowledgement window, from the last request byte to the status line (R-8-1). Shorter in tests only.',
  },
  CONNECT_BUDGET_MS: {
    tier: 'fixed',
    type: 'integer',
    unit: 'ms',
    default: 10_000,
    min: 100,
    max: 60_000,
    description: 'Time limit for name look-up, TCP, TLS and writing the request, before the window starts (A-05).',
  },
  DISPATCH_WINDOW_MS: {
    tier: 'fixed',
    type: 'integer',
    unit: 'ms',
    default: 900_000,
    min: 1_000,
    max: 86_400_000,
    description: 'A payment that could not be sent for this long is closed and reversed (A-12).',
  },
  MAX_ATTEMPTS: {
    type: 'integer',
    default: 2,
    min: 1,
    max: 10,
    description: 'POSTs of one payment at most; only a crash of the dispatcher leads to a second one. 1 allows none (A-13).',
  },
  DISPATCHER_SHARD_LEASE_MS: {
    tier: 'fixed',
    type: 'integer',
    unit: 'ms',
    default: 10_000,
    min: 1_000,
    max: 600_000,
    description:
      'Others judge a replica dead, and take over its shards, when its heartbeat has not changed for this long (P-T6).',
  },
  RETENTION_DAYS: {
    tier: 'must',
    type: 'integer',
    unit: 'd',
    default: 90,
    min: 1,
    max: 3_650,
    description: 'How long concluded deliveries and their sealed notifications are kept.',
  },
  SOCKETS_MAX: {
    type: 'integer',
    default: 20_000,
    min: 8,
    max: 100_000,
    description: 'Deliveries in flight at once. Each needs a file descriptor and about 90 KiB of memory.',
  },
  SANDBOX_RELAYS_URL: {
    type: 'url',
    default: null,
    description:
      'In a sandbox with relays: their URL at its gateway, `https://sandbox.example.com/public/relay/`. Each relay then has slots of its own; unset, all of them share those of one origin (A-78).',
  },
});

export type Settings = ReturnType<typeof env.read>;
