import { readFileSync } from 'node:fs';

/** One environment key: its type, what it means, and the value used when it is not set. */
export interface EnvKey<T> {
  type: 'string' | 'integer' | 'boolean' | 'enum' | 'list' | 'url';
  /** One sentence for the reference page. */
  description: string;
  /** Unit of a number, e.g. `ms`. */
  unit?: string;
  /** Absent: the key is required. */
  default?: T;
  /** Allowed values of an `enum`. */
  values?: readonly string[];
  /** Of a `string`: what it must match, and the same in words, such as `must be a name`. */
  form?: { pattern: RegExp; rule: string };
  min?: number;
  max?: number;
  /** Never printed; may also come from a file named by `<KEY>_FILE`. */
  secret?: boolean;
  /** `must`: every operator decides it; `fixed`: production refuses it, tests and standalone change it. Else an operator may. */
  tier?: 'must' | 'fixed';
}

export type EnvSchema = Record<string, EnvKey<unknown>>;

type ValueOf<K> = K extends { type: 'integer' }
  ? number
  : K extends { type: 'boolean' }
    ? boolean
    : K extends { type: 'list' }
      ? string[]
      : K extends { type: 'enum'; values: readonly (infer V)[] }
        ? V
        : string;

export type EnvOf<S> = { readonly [K in keyof S]: S[K] extends { default: null } ? ValueOf<S[K]> | null : ValueOf<S[K]> };

export interface EnvDefinition<S extends EnvSchema> {
  schema: S;
  /** Reads every key and reports all problems in one EnvError. */
  read(source: Record<string, string | undefined>): EnvOf<S>;
}

/** All problems of an environment at once; values of secret keys never appear. */
export class EnvError extends Error {
  constructor(readonly problems: string[]) {
    super(`environment is not usable:\n${problems.map(problem => `  - ${problem}`).join('\n')}`);
    this.name = 'EnvError';
  }
}

/** Declares the environment of a service; `config/env.ts` is the only reader of process.env. */
export function defineEnv<const S extends EnvSchema>(schema: S): EnvDefinition<S> {
  return { schema, read: source => readEnv(schema, source) };
}

/** Settings of older releases that became constants. A deployment that still sets one learns so, and does not start with another value. */
const removedKeys = [
  'ADDRESS_CONNECTIONS_MAX', 'ADDRESS_RATE_BURST', 'AUTHORIZE_TIMEOUT_MS', 'BODY_BYTES_MAX', 'BROWSER_SESSION_IDLE_S',
  'BROWSER_SESSION_MAX_S', 'CHALLENGES_PER_ADDRESS_PER_MINUTE', 'CONNECTIONS_MAX', 'CREDENTIAL_RATE_BURST', 'DELIVERIES_PER_LOG_LINE',
  'EMAIL_TRANSPORT', 'GUESSES_PER_ADDRESS_MAX', 'GUESSES_PER_IDENTITY_MAX', 'HANDSHAKES_PER_SECOND', 'HEADERS_TIMEOUT_MS',
  'HEADER_BYTES_MAX', 'HELD_MAX', 'IDLE_TIMEOUT_MS', 'IN_FLIGHT_MAX', 'KAFKA_SESSION_TIMEOUT_MS', 'MESSAGE_AGE_MAX_MS',
  'MESSAGE_RETRY_MS', 'MESSAGE_TRIES_MAX', 'OUTBOUND_DNS_TIMEOUT_MS', 'PROBES_PER_CALLER_BURST', 'PROBES_PER_CALLER_PER_HOUR',
  'PROBES_PER_MERCHANT_BURST', 'PROBES_PER_MERCHANT_INTERVAL_MS', 'PROBES_PER_ORIGIN_PER_MINUTE', 'PROBE_CONNECT_TIMEOUT_MS',
  'PROBE_TIMEOUT_MS', 'REQUEST_TIMEOUT_MS', 'ROUTE_LEASE_MS', 'RSA_QUEUE_MAX', 'RSA_WORKERS', 'SESSION_LIFETIME_MAX_S',
  'SESSION_RENEW_GRACE_S', 'SIGN_IN_GUESSES_MAX', 'SIGN_IN_GUESSES_PER_ADDRESS_MAX', 'SMS_TRANSPORT', 'TLS_RELOAD_INTERVAL_MS',
  'UPSTREAM_CONNECTIONS_MAX', 'UPSTREAM_TIMEOUT_MS', 'WEB_FOLDER',
]; // prettier-ignore

/** Settings of older releases that one setting took the place of. */
const replacedKeys: Record<string, string> = {
  SMPP_HOST: 'SMS_URL',
  SMPP_PASSWORD: 'SMS_URL',
  SMPP_PORT: 'SMS_URL',
  SMPP_SYSTEM_ID: 'SMS_URL',
  SMPP_TLS: 'SMS_URL',
  SMS_GATEWAY_TOKEN: 'SMS_URL',
  SMS_GATEWAY_URL: 'SMS_URL',
  SMTP_HOST: 'SMTP_URL',
  SMTP_PASSWORD: 'SMTP_URL',
  SMTP_PORT: 'SMTP_URL',
  SMTP_SECURITY: 'SMTP_URL',
  SMTP_USERNAME: 'SMTP_URL',
};

function problemsOfOlder(source: Record<string, string | undefined>): string[] {
  const isSet = (key: string) => (source[key] ?? source[`${key}_FILE`]) !== undefined;
  return [
    ...removedKeys.filter(isSet).map(key => `${key} is no longer a setting, its value is fixed: delete it`),
    ...Object.entries(replacedKeys)
      .filter(([key]) => isSet(key))
      .map(([key, by]) => `${key} is no longer a setting: set ${by} in its place`),
  ];
}

function readEnv<S extends EnvSchema>(schema: S, source: Record<string, string | undefined>): EnvOf<S> {
  const problems = problemsOfOlder(source);
  const values: Record<string, unknown> = {};
  for (const [key, spec] of Object.entries(schema)) {
    try {
      values[key] = readKey(key, spec, source);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  if (problems.length > 0) throw new EnvError(problems);
  return values as EnvOf<S>;
}

const environmentKey = 'PAYCODE_ENVIRONMENT';

function readKey(key: string, spec: EnvKey<unknown>, source: Record<string, string | undefined>): unknown {
  const raw = rawValue(key, spec, source);
  if (raw === undefined) {
    if (!('default' in spec)) throw new Error(`${key} is required: ${spec.description}`);
    return spec.default;
  }
  if (spec.tier === 'fixed' && source[environmentKey] === 'production')
    throw new Error(`${key} is fixed in production, at ${String(spec.default)}: delete it`);
  if (spec.form && !spec.form.pattern.test(raw)) throw new Error(`${key} ${spec.form.rule}`);
  return parsers[spec.type](key, spec, raw);
}

function rawValue(key: string, spec: EnvKey<unknown>, source: Record<string, string | undefined>): string | undefined {
  const direct = source[key];
  if (direct !== undefined && direct !== '') return direct;
  const file = spec.secret ? source[`${key}_FILE`] : undefined;
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`${key}_FILE cannot be read: ${(cause as NodeJS.ErrnoException).code ?? 'unknown error'}`, { cause });
  }
}

const parsers: Record<EnvKey<unknown>['type'], (key: string, spec: EnvKey<unknown>, raw: string) => unknown> = {
  string: (_key, _spec, raw) => raw,
  integer: (key, spec, raw) => {
    const value = Number(raw);
    const [min, max] = [spec.min ?? 0, spec.max ?? Number.MAX_SAFE_INTEGER];
    if (!/^-?\d+$/.test(raw) || value < min || value > max) throw new Error(`${key} must be an integer from ${min} to ${max}`);
    return value;
  },
  boolean: (key, _spec, raw) => {
    if (raw !== 'true' && raw !== 'false') throw new Error(`${key} must be true or false`);
    return raw === 'true';
  },
  enum: (key, spec, raw) => {
    if (!spec.values?.includes(raw)) throw new Error(`${key} must be one of ${spec.values?.join(', ')}`);
    return raw;
  },
  list: (_key, _spec, raw) =>
    raw
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== ''),
  url: (key, _spec, raw) => {
    if (!URL.canParse(raw)) throw new Error(`${key} must be a URL`);
    return raw.replace(/\/$/, '');
  },
};
