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
    tier: 'must',
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
});

export type NotificationConfigEnv = EnvOf<typeof env.schema>;
