import { baseEnv, browserSessionEnv, databaseEnv, defineEnv, type EnvOf, internalCallsEnv } from '@paycode/service-runtime';

/** The only reader of the environment of auth-session. */
export const env = defineEnv({
  ...baseEnv({ internal: 3101, public: 3201 }),
  ...databaseEnv,
  SCHEMA_OWNER_DATABASE_URL: {
    type: 'string',
    secret: true,
    default: null,
    description:
      "URL for `MIGRATIONS=run` and nothing else, under a role that owns the schema; DATABASE_URL's role then needs rights on rows only, so that it cannot rewrite the security log. Unset: DATABASE_URL.",
  },
  PORTAL_DATABASE_URL: {
    type: 'string',
    secret: true,
    default: null,
    description:
      "PostgreSQL URL of the portal's database, under the role of DATABASE_URL: which person is signed in there. The portal's migration lets the role `paycode_auth_session` read that and nothing else. Unset: the portal can do nothing for its people in other services.",
  },
  ...browserSessionEnv,
  ...internalCallsEnv,
  PASSWORD_PEPPERS: {
    tier: 'must',
    type: 'string',
    secret: true,
    description:
      'Peppers of API password hashes (T-04): `kid:base64,kid:base64`, 32-byte keys; the first hashes, all of them verify. Passwords hashed with a lost pepper are invalid.',
  },
  KEY_ENCRYPTION_KEYS: {
    tier: 'must',
    type: 'string',
    secret: true,
    description:
      'Keys that seal the signing keys and the challenge key in the database: `kid:base64,kid:base64`, 32-byte keys; the first seals, all of them open.',
  },
  RSA_WORKERS: {
    type: 'integer',
    default: 1,
    min: 1,
    max: 64,
    description: 'Worker threads for RSA work; one serves about 150 challenges per second (T-02).',
  },
  CHALLENGES_PER_ADDRESS_PER_MINUTE: {
    type: 'integer',
    default: 600,
    min: 1,
    description: 'Login challenges one client address may ask for per minute, across replicas (T-02).',
  },
  GUESSES_PER_IDENTITY_MAX: {
    type: 'integer',
    default: 5,
    min: 1,
    description: 'Wrong credentials for one identity from one address before that pair has to wait (T-05).',
  },
  GUESSES_PER_ADDRESS_MAX: {
    type: 'integer',
    default: 50,
    min: 1,
    description: 'Wrong credentials from one address, whatever the identity, before it has to wait (T-05).',
  },
  EXTERNAL_AUTHORIZATION_TOKENS: {
    type: 'list',
    secret: true,
    default: [],
    description:
      'Tokens of proxies (nginx, Envoy, Traefik) that may use authorize as their external authorization; when empty, none may. At least 128 random bits each.',
  },
  SESSION_LIFETIME_MAX_S: {
    type: 'integer',
    unit: 's',
    default: 86_400,
    description: 'A session may be renewed for at most this long after login; 0 sets no limit (A-30).',
  },
});

export type AuthSessionEnv = EnvOf<typeof env.schema>;
