import { eventsEnv } from '@paycode/events';
import { baseEnv, databaseEnv, defineEnv, internalCallsEnv, tracingEnv } from '@paycode/service-runtime';

/** Environment of the payment simulator. */
export const env = defineEnv({
  ...baseEnv({ internal: 3105, public: 3205 }),
  ...databaseEnv,
  ...internalCallsEnv,
  ...eventsEnv,
  ...tracingEnv,
  // The simulator moves no money, so production must not run it.
  PAYCODE_ENVIRONMENT: {
    tier: 'must',
    type: 'enum',
    values: ['sandbox'],
    default: 'sandbox',
    description: 'Only `sandbox`: in production the payment core takes the place of the simulator.',
  },
  PAYLOAD_KEYS: {
    tier: 'must',
    type: 'string',
    secret: true,
    description:
      'Keys that seal notifications in events: kid:base64,kid:base64 (32 bytes each); the first seals, all of them open.',
  },
  NOTIFICATION_CONFIG_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3102',
    description: 'Internal base URL of notification-config: merchants and their routes.',
  },
  AUTH_SESSION_URL: {
    type: 'url',
    default: 'http://127.0.0.1:3101',
    description: 'Internal base URL of auth-session: keys of identity assertions.',
  },
  PUBLIC_BASE_URL: {
    tier: 'must',
    type: 'url',
    default: 'https://localhost:8443',
    description: "Where people's devices reach the gateway: the address in QR images.",
  },
});
