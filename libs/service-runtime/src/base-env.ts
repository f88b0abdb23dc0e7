import type { EnvKey, EnvOf } from './env';
import type { MutualTlsFiles } from './tls';

const shutdownEnv = {
  SHUTDOWN_GRACE_MS: {
    type: 'integer',
    unit: 'ms',
    default: 60_000,
    description: 'A stopping process waits at most this long for work in progress.',
  },
  SHUTDOWN_LINGER_MS: {
    tier: 'fixed',
    type: 'integer',
    unit: 'ms',
    default: 1_000,
    max: 30_000,
    description:
      'After SIGTERM, when all work is done, idle connections of clients stay open for this long, because a request may be on its way.',
  },
} as const satisfies Record<string, EnvKey<unknown>>;

/** Mutual TLS between services: one certificate, shown as server and as client. */
const mutualTlsEnv = {
  MUTUAL_TLS_CERT_FILE: {
    type: 'string',
    default: null,
    description:
      "PEM file with this service's certificate, which names it (SAN). With the other two: both listeners speak TLS 1.3 and want a certificate, and https URLs are called with it. Read again when it changes.",
  },
  MUTUAL_TLS_KEY_FILE: { type: 'string', default: null, description: 'PEM file with the private key of that certificate.' },
  MUTUAL_TLS_CA_FILE: { type: 'string', default: null, description: 'PEM file with the authority of all services.' },
} as const satisfies Record<string, EnvKey<unknown>>;

export const logEnv = {
  LOG_LEVEL: {
    type: 'enum',
    values: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    description: 'Lowest level of log lines that are written.',
  },
} as const satisfies Record<string, EnvKey<unknown>>;

/** Keys every service reads. Spread it into the service's own schema; ports get the service's defaults. */
export function baseEnv(ports: { internal: number; public?: number }) {
  return {
    PAYCODE_ENVIRONMENT: {
      tier: 'must',
      type: 'enum',
      values: ['sandbox', 'production'],
      default: 'sandbox',
      description: 'Which environment this instance serves; decides challenge lifetime and allowed webhook ports (R-1-3).',
    },
    ...logEnv,
    LISTEN_HOST: { type: 'string', default: '127.0.0.1', description: 'Address both listeners bind to.' },
    INTERNAL_PORT: {
      type: 'integer',
      default: ports.internal,
      max: 65_535,
      description: 'Port of the internal listener (calls between services, health, metrics); never routed by the gateway.',
    },
    PUBLIC_PORT: {
      type: 'integer',
      default: ports.public ?? 0,
      max: 65_535,
      description: 'Port of the listener the gateway routes to. Services without public paths do not open it.',
    },
    ...mutualTlsEnv,
    ...shutdownEnv,
  } as const satisfies Record<string, EnvKey<unknown>>;
}

/** Keys of a service that owns a database. */
export const databaseEnv = {
  DATABASE_URL: {
    tier: 'must',
    type: 'string',
    secret: true,
    description:
      "PostgreSQL URL of this service's own database. A direct connection, or a pooler that keeps prepared statements with their sessions. `?connect_timeout=` in whole seconds bounds opening a connection, 5 without it.",
  },
  DATABASE_POOL_MAX: { type: 'integer', default: 10, min: 1, max: 200, description: 'Most connections to the database.' },
  DATABASE_CA_FILE: {
    type: 'string',
    default: null,
    description:
      "PEM file with the authority of the database server's certificate, for `?sslmode=verify-full`; read again for each connection. Unset: the authorities that Node knows.",
  },
  DATABASE_SERVICE_ROLE: {
    type: 'string',
    default: null,
    description:
      "When DATABASE_URL's role owns the schema and only migrates: the role that the service logs in as. The migration gives it rights on rows, and on nothing else. Unset: the service is the owner.",
  },
  MIGRATIONS: {
    type: 'enum',
    values: ['run', 'check'],
    default: 'run',
    description: '`run` applies pending migrations at start; `check` only refuses to start when any is pending.',
  },
} as const satisfies Record<string, EnvKey<unknown>>;

/** Settings of a service that makes internal calls: its own key, and the public keys of all services. */
export const serviceTokenEnv = {
  SERVICE_TOKEN_PRIVATE_KEY_FILE: {
    tier: 'must',
    type: 'string',
    description:
      "File with this service's own key (PKCS#8 PEM, P-256), which signs its service tokens; read again when it changes.",
  },
  SERVICE_TOKEN_PUBLIC_KEYS_FILE: {
    tier: 'must',
    type: 'string',
    description:
      'JWKS file with the public keys of all services, two of one service while it rotates; `kid` is `<service>:<version>`. Read again when it changes.',
  },
} as const satisfies Record<string, EnvKey<unknown>>;

/** Keys of a service that answers internal calls. */
export const internalCallsEnv = {
  ...serviceTokenEnv,
  OPERATOR_TOKEN_PUBLIC_KEYS_FILE: {
    tier: 'must',
    type: 'string',
    description: 'JWKS file with the public keys of operator tokens; `kid` is `operator:<version>`. Read again when it changes.',
  },
  OPERATOR_TOKEN_REVOCATIONS_FILE: {
    type: 'string',
    default: null,
    description: 'JSON file with the operator tokens that are no longer accepted; read again when it changes. Unset: none.',
  },
  OPERATOR_TOKEN_LIFETIME_MAX_S: {
    type: 'integer',
    unit: 's',
    default: 28_800,
    min: 60,
    description:
      'Longest lifetime of an operator token; a token with a longer one is refused. More than 8 h is for standalone only.',
  },
  OPERATOR_OIDC_ISSUER: {
    type: 'string',
    default: null,
    description:
      "Issuer of the company's OpenID Connect provider, exactly as its tokens name it: its ID tokens for persons with the role `paycode-operator` are operator tokens. Unset: tokens of the operator key only.",
  },
  OPERATOR_OIDC_CLIENT_ID: {
    type: 'string',
    default: null,
    description: 'Client at that provider, for which `paycode login` gets the ID tokens; set with the issuer or not at all.',
  },
} as const satisfies Record<string, EnvKey<unknown>>;

/** Keys of a service that payments pass through. */
export const tracingEnv = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    type: 'url',
    default: null,
    description: 'Base URL of an OTLP/HTTP collector, e.g. http://otel-collector:4318; unset: no traces.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    type: 'string',
    default: '1',
    description:
      'Share of traces beginning in this service that are recorded, 0 to 1; for other traces the service that began them decides.',
  },
} as const satisfies Record<string, EnvKey<unknown>>;

export type MutualTlsEnv = EnvOf<typeof mutualTlsEnv>;

export function mutualTlsFilesOf(env: MutualTlsEnv): MutualTlsFiles {
  return { certFile: env.MUTUAL_TLS_CERT_FILE, keyFile: env.MUTUAL_TLS_KEY_FILE, caFile: env.MUTUAL_TLS_CA_FILE };
}

export function logLevelOf(env: EnvOf<typeof logEnv>): string {
  return env.LOG_LEVEL;
}

export type BaseEnv = EnvOf<ReturnType<typeof baseEnv>>;

/** With those of `tracingEnv` in services that payments pass through. */
export type RuntimeEnv = BaseEnv & Partial<EnvOf<typeof tracingEnv>>;

export type RuntimeOptions = ReturnType<typeof runtimeOptionsOf>;

/** Options that every service process needs. */
export function runtimeOptionsOf(env: RuntimeEnv) {
  return {
    logLevel: logLevelOf(env),
    listeners: { host: env.LISTEN_HOST, internalPort: env.INTERNAL_PORT, publicPort: env.PUBLIC_PORT },
    mutualTls: mutualTlsFilesOf(env),
    shutdown: { graceMs: env.SHUTDOWN_GRACE_MS, lingerMs: env.SHUTDOWN_LINGER_MS },
    tracing: {
      environment: env.PAYCODE_ENVIRONMENT,
      endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
      sampledShare: env.OTEL_TRACES_SAMPLER_ARG ?? '1',
    },
  };
}
