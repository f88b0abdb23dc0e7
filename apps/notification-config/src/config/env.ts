import { outboundEnv } from '@paycode/safe-http';
import { baseEnv, databaseEnv, defineEnv, type EnvOf, internalCallsEnv } from '@paycode/service-runtime';

/** Environment of notification-config. */
export const env = defineEnv({
  ...baseEnv({ internal: 3102, public: 3202 }),
  ...databaseEnv,
  ...internalCallsEnv,
  ...outboundEnv,
  AUTH_SESSION_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3101',
    description:
      'Internal base URL of auth-session, whose keys verify identity assertions, and which names the owners to mail (T-15).',
  },
  RECIPIENT_MESSAGES_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3106',
    description: 'Internal base URL of recipient-messages, which mails merchants about changes of their URL or key (T-15).',
  },
  KEY_ENCRYPTION_KEYS: {
    type: 'string',
    secret: true,
    description:
      'Keys that seal webhook keys at rest, `kid:base64,kid:base64` of 32 bytes: the first seals, all of them open (T-14).',
  },
  OUTBOUND_CLIENT_CA_FILE: {
    type: 'string',
    default: null,
    description:
      "PEM file of the authorities of OUTBOUND_CLIENT_CERT_FILE, which merchants' servers trust: before a new authority issues the certificate, it stands beside the old one for as long as merchants need to take it over.",
  },
  ROUTE_LEASE_MS: {
    type: 'integer',
    unit: 'ms',
    default: 1_000,
    min: 10,
    max: 10_000,
    description:
      'A dispatcher may start requests on a route for this long after it asked for the route; a change of URL or key is answered after that time. Set the same value on every replica.',
  },
  PROBE_TIMEOUT_MS: {
    type: 'integer',
    unit: 'ms',
    default: 10_000,
    min: 100,
    max: 30_000,
    description: 'URL validation window: everything from the name look-up to the answer.',
  },
  PROBE_CONNECT_TIMEOUT_MS: {
    type: 'integer',
    unit: 'ms',
    default: 3_000,
    min: 50,
    max: 30_000,
    description: 'Part of the window in which the connection must be open: name look-up, TCP and TLS.',
  },
  PROBES_PER_MERCHANT_BURST: { type: 'integer', default: 6, min: 1, description: 'Probes of one merchant at once (T-28).' },
  PROBES_PER_MERCHANT_INTERVAL_MS: {
    type: 'integer',
    unit: 'ms',
    default: 10_000,
    min: 1,
    description: 'After the burst, one probe of a merchant in this time.',
  },
  PROBES_PER_CALLER_BURST: { type: 'integer', default: 60, min: 1, description: 'Probes of one caller at once (T-28).' },
  PROBES_PER_CALLER_PER_HOUR: {
    type: 'integer',
    default: 600,
    min: 1,
    description: 'After the burst, probes of one caller in an hour.',
  },
  PROBES_PER_ORIGIN_PER_MINUTE: {
    type: 'integer',
    default: 120,
    min: 1,
    description: 'Probes to one target origin in a minute, over all callers (T-28).',
  },
});

export type NotificationConfigEnv = EnvOf<typeof env.schema>;
