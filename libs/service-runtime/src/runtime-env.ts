import type { MutualTlsFiles } from './tls/mutual-tls';

/** The values of `mutualTlsEnv`. */
export interface MutualTlsEnv {
  MUTUAL_TLS_CERT_FILE: string | null;
  MUTUAL_TLS_KEY_FILE: string | null;
  MUTUAL_TLS_CA_FILE: string | null;
}

export function mutualTlsFilesOf(env: MutualTlsEnv): MutualTlsFiles {
  return { certFile: env.MUTUAL_TLS_CERT_FILE, keyFile: env.MUTUAL_TLS_KEY_FILE, caFile: env.MUTUAL_TLS_CA_FILE };
}

/** The values of `logEnv`. */
export interface LogEnv {
  LOG_LEVEL: string;
}

export function logLevelOf(env: LogEnv): string {
  return env.LOG_LEVEL;
}

/** The values of `baseEnv`, and of `tracingEnv` in services that payments pass through. */
export interface RuntimeEnv extends MutualTlsEnv, LogEnv {
  LISTEN_HOST: string;
  INTERNAL_PORT: number;
  PUBLIC_PORT: number;
  SHUTDOWN_GRACE_MS: number;
  SHUTDOWN_LINGER_MS: number;
  PAYCODE_ENVIRONMENT: string;
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | null;
  OTEL_TRACES_SAMPLER_ARG?: string;
}

/** Options that every service process needs. */
export interface RuntimeOptions {
  logLevel: string;
  listeners: { host: string; internalPort: number; publicPort: number };
  mutualTls: MutualTlsFiles;
  /** How long a stop may take, and how long idle connections stay open in it, in milliseconds. */
  shutdown: { graceMs: number; lingerMs: number };
  /** `endpoint` null: no traces. */
  tracing: { environment: string; endpoint: string | null; sampledShare: string };
}

export function runtimeOptionsOf(env: RuntimeEnv): RuntimeOptions {
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
