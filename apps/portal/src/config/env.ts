import { eventsEnv } from '@paycode/events';
import { baseEnv, databaseEnv, defineEnv, internalCallsEnv } from '@paycode/service-runtime';

/** Environment of the portal. */
export const env = defineEnv({
  ...baseEnv({ internal: 3107, public: 3207 }),
  ...databaseEnv,
  ...internalCallsEnv,
  ...eventsEnv,
  AUTH_SESSION_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3101',
    description: "Internal base URL of auth-session: the account of a merchant's or PSP's programs.",
  },
  NOTIFICATION_CONFIG_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3102',
    description: 'Internal base URL of notification-config: merchants and where they are notified.',
  },
  WEBHOOK_DISPATCHER_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3103',
    description: 'Internal base URL of webhook-dispatcher: attempts and verdict of a delivery.',
  },
  REVERSAL_SCHEDULER_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3104',
    description: 'Internal base URL of reversal-scheduler: reversal job and decision of a payment.',
  },
  RECIPIENT_MESSAGES_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3106',
    description: 'Internal base URL of recipient-messages, which mails invitations.',
  },
  PAYMENT_SIMULATOR_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3105',
    description: 'Internal base URL of payment-simulator, for rehearsals in the sandbox. Production calls nobody there.',
  },
  PUBLIC_BASE_URL: {
    tier: 'must',
    type: 'url',
    default: 'https://localhost:8443',
    description: 'Base URL browsers reach the gateway at: the one origin that may send changes.',
  },
  PAYLOAD_KEYS: {
    tier: 'must',
    type: 'string',
    secret: true,
    description: 'Keys of sealed notifications, `kid:base64,kid:base64` of 32 bytes each; the first is current, all open.',
  },
  KEY_ENCRYPTION_KEYS: {
    tier: 'must',
    type: 'string',
    secret: true,
    description:
      'Keys that seal secrets of authenticator apps and of clients at providers at rest, and what browsers keep during sign-in, `kid:base64,kid:base64` of 32 bytes: the first seals, all open.',
  },
  GRAFANA_URL: {
    type: 'url',
    default: null,
    description: 'Base URL of Grafana as people on call reach it: links to the dashboard of a transaction. Unset: no links.',
  },
  RECORD_RETENTION_DAYS: {
    tier: 'must',
    type: 'integer',
    unit: 'd',
    default: 400,
    min: 60,
    max: 3_650,
    description: 'How long payments are listed after they completed, in the portal and to programs.',
  },
});

export type Settings = ReturnType<typeof env.read>;
