import { type MutualTlsFiles, mutualTlsFilesOf } from '@paycode/service-runtime';
import type { UpstreamName } from '../forwarding/domain/route-table';
import type { ForwardingLimits } from '../forwarding/forward-request';
import type { RateLimitSettings } from '../limits/rate-limits';
import type { CertificateSettings } from '../listener/certificate-files';
import type { GateOptions } from '../listener/connection-gate';
import type { ListenerOptions } from '../listener/public-listener';
import { type OpenBodyLimits, openBodyLimitsOf } from '../requests/open-bodies';
import type { GatewayEnv } from './env';

export interface ForwardingOptions {
  /** The public TLS listener. */
  listener: ListenerOptions;
  /** The port that refuses plain HTTP; port null: not opened. */
  plain: { host: string; port: number | null };
  certificate: CertificateSettings;
  /** Before TLS. */
  gate: GateOptions;
  /** Addresses or CIDR ranges: proxies whose X-Forwarded-For is trusted, and relays that speak the PROXY protocol. */
  proxies: { forwarders: string[]; relays: string[] };
  rates: RateLimitSettings;
  /** Of the sandbox's relays; undefined: there are none. */
  relayKey: Buffer | undefined;
  /** Of the documentation; undefined: there is none. */
  siteFolder: string | undefined;
  limits: ForwardingLimits;
  openBodies: OpenBodyLimits;
  services: ServicesOptions;
}

/** How the gateway calls the services. */
export interface ServicesOptions {
  /** Internal base URL of auth-session. */
  authSessionUrl: string;
  /** Longest wait for auth-session, and for the answer of a service, in milliseconds. */
  authorizeTimeoutMs: number;
  upstreamTimeoutMs: number;
  /** Most connections to each service. */
  connectionsMax: number;
  /** Public base URL of each service. */
  origins: Record<UpstreamName, string>;
  /** PEM file of the gateway's own key, and JWKS file of the services' keys. */
  tokenKeys: { privateKeyFile: string; servicePublicKeysFile: string };
  mutualTls: MutualTlsFiles;
}

const relayKeyBytes = 32;

/** The settings, as AppModule takes them. */
export function forwardingOptionsOf(env: GatewayEnv): ForwardingOptions {
  return {
    ...listenerOptions(env),
    rates: {
      addressPerS: env.ADDRESS_RATE_PER_S,
      addressBurst: env.ADDRESS_RATE_BURST,
      credentialPerS: env.CREDENTIAL_RATE_PER_S,
      credentialBurst: env.CREDENTIAL_RATE_BURST,
    },
    relayKey: relayKeyOf(env),
    siteFolder: env.SITE_FOLDER ?? undefined,
    limits: {
      bodyBytesMax: env.BODY_BYTES_MAX,
      inFlightMax: env.IN_FLIGHT_MAX,
      turns: turnLimitsOf(env.UPSTREAM_CONNECTIONS_MAX),
    },
    openBodies: openBodyLimitsOf(env.BODY_BYTES_MAX),
    services: servicesOptions(env),
  };
}

/** A client waits some seconds for its answer: what begins a second late is still in time. */
const waitMsMax = 1_000;
const waitingPerConnectionMax = 4;

const turnLimitsOf = (atOnceMax: number) => ({ atOnceMax, waitingMax: atOnceMax * waitingPerConnectionMax, waitMsMax });

/** @throws Error for a key in production or of another length */
function relayKeyOf({ SANDBOX_RELAY_KEY: text, PAYCODE_ENVIRONMENT }: GatewayEnv): Buffer | undefined {
  if (text === null) return undefined;
  if (PAYCODE_ENVIRONMENT !== 'sandbox') throw new Error('SANDBOX_RELAY_KEY is for a sandbox only');
  const key = Buffer.from(text, 'base64');
  if (key.length !== relayKeyBytes) throw new Error(`SANDBOX_RELAY_KEY must be ${relayKeyBytes} bytes in base64`);
  return key;
}

function listenerOptions(env: GatewayEnv): Pick<ForwardingOptions, 'listener' | 'plain' | 'certificate' | 'gate' | 'proxies'> {
  return {
    listener: {
      host: env.LISTEN_HOST,
      port: env.PUBLIC_PORT,
      headerBytesMax: env.HEADER_BYTES_MAX,
      headersTimeoutMs: env.HEADERS_TIMEOUT_MS,
      requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
      idleTimeoutMs: env.IDLE_TIMEOUT_MS,
      connectionsMax: env.CONNECTIONS_MAX,
    },
    plain: { host: env.LISTEN_HOST, port: env.PLAIN_HTTP_PORT },
    certificate: {
      certFile: env.TLS_CERT_FILE,
      keyFile: env.TLS_KEY_FILE,
      minVersion: env.TLS_MIN_VERSION,
      reloadIntervalMs: env.TLS_RELOAD_INTERVAL_MS,
    },
    gate: { firstByteTimeoutMs: env.HEADERS_TIMEOUT_MS, addressConnectionsMax: env.ADDRESS_CONNECTIONS_MAX },
    proxies: { forwarders: env.TRUSTED_PROXIES, relays: env.PROXY_PROTOCOL_FROM },
  };
}

function servicesOptions(env: GatewayEnv): ForwardingOptions['services'] {
  return {
    authSessionUrl: env.AUTH_SESSION_URL,
    authorizeTimeoutMs: env.AUTHORIZE_TIMEOUT_MS,
    upstreamTimeoutMs: env.UPSTREAM_TIMEOUT_MS,
    connectionsMax: env.UPSTREAM_CONNECTIONS_MAX,
    origins: {
      'auth-session': env.AUTH_SESSION_PUBLIC_URL,
      'notification-config': env.NOTIFICATION_CONFIG_PUBLIC_URL,
      'webhook-dispatcher': env.WEBHOOK_DISPATCHER_PUBLIC_URL,
      'payment-simulator': env.PAYMENT_SIMULATOR_PUBLIC_URL,
      portal: env.PORTAL_PUBLIC_URL,
    },
    tokenKeys: {
      privateKeyFile: env.SERVICE_TOKEN_PRIVATE_KEY_FILE,
      servicePublicKeysFile: env.SERVICE_TOKEN_PUBLIC_KEYS_FILE,
    },
    mutualTls: mutualTlsFilesOf(env),
  };
}
