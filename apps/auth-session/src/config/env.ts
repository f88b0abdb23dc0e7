import { baseEnv, databaseEnv, defineEnv, type EnvOf, internalCallsEnv } from '@paycode/service-runtime';

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
  EXTERNAL_AUTHORIZATION_TOKENS: {
    type: 'list',
    secret: true,
    default: [],
    description:
      'Tokens of proxies (nginx, Envoy, Traefik) that may use authorize as their external authorization; when empty, none may. At least 128 random bits each.',
  },
});

export type AuthSessionEnv = EnvOf<typeof env.schema>;
