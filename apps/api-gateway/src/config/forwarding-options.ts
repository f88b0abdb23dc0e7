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

/** Beyond it 413. The guide for integrators promises 256 KiB. */
const bodyBytesMax = 262_144;

/** Limits that are the same everywhere. Tests shorten some. */
export const gatewayLimits = {
  /** Request line and header fields: Node's own limit, and above what browsers send. */
  headerBytesMax: 16_384,
  /** For all header fields, and for the first byte of a connection: time for a lost packet or two, not for a client that trickles. */
  headersTimeoutMs: 10_000,
  /** For a whole request: twice that, because a body may follow. */
  requestTimeoutMs: 20_000,
  /**
   * Of a connection that is silent: above the 60 s of common load balancers, so that none sends on a connection that is closed here.
   * A client that takes less than 16 KiB of its answer in 30 s is cut off.
   */
  idleTimeoutMs: 65_000,
  /** Client connections in all: ten addresses at their limit. */
  connectionsMax: 10_000,
  /** Of one client address: twice its requests of a second. Trusted proxies are not counted. */
  addressConnectionsMax: 1_000,
  /** Requests in progress; beyond it 503: 16 for each connection to a service, which answers in milliseconds. */
  inFlightMax: 2_000,
  /** Certificates are replaced days before they end. */
  reloadIntervalMs: 30_000,
  /** For auth-session; then 503. A check takes milliseconds; a client waits some seconds for its answer. */
  authorizeTimeoutMs: 5_000,
  /** For the answer of a service; then 503. Above the 10 s in which notification-config validates a URL, and its route lease. */
  upstreamTimeoutMs: 25_000,
  /** Connections to each service: above what keeps it busy, so the others wait here, where payments go first (ADR 0117). */
  upstreamConnectionsMax: 128,
  openBodies: openBodyLimitsOf(bodyBytesMax),
};

/** The settings, as AppModule takes them. */
export function forwardingOptionsOf(env: GatewayEnv, limits = gatewayLimits): ForwardingOptions {
  return {
    ...listenerOptions(env, limits),
    // A client that was silent may catch up on two seconds at once.
    rates: {
      addressPerS: env.ADDRESS_RATE_PER_S,
      addressBurst: 2 * env.ADDRESS_RATE_PER_S,
      credentialPerS: env.CREDENTIAL_RATE_PER_S,
      credentialBurst: 2 * env.CREDENTIAL_RATE_PER_S,
    },
    relayKey: relayKeyOf(env),
    siteFolder: env.SITE_FOLDER ?? undefined,
    limits: { bodyBytesMax, inFlightMax: limits.inFlightMax, turns: turnLimitsOf(limits.upstreamConnectionsMax) },
    openBodies: limits.openBodies,
    services: servicesOptions(env, limits),
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

function listenerOptions(
  env: GatewayEnv,
  limits: typeof gatewayLimits,
): Pick<ForwardingOptions, 'listener' | 'plain' | 'certificate' | 'gate' | 'proxies'> {
  const { LISTEN_HOST: host, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, TLS_MIN_VERSION: minVersion } = env;
  const { headerBytesMax, headersTimeoutMs, requestTimeoutMs, idleTimeoutMs, connectionsMax, reloadIntervalMs } = limits;
  const timeouts = { headersTimeoutMs, requestTimeoutMs, idleTimeoutMs };
  return {
    listener: { host, port: env.PUBLIC_PORT, headerBytesMax, ...timeouts, connectionsMax },
    plain: { host, port: env.PLAIN_HTTP_PORT },
    certificate: { certFile, keyFile, minVersion, reloadIntervalMs },
    gate: { firstByteTimeoutMs: headersTimeoutMs, addressConnectionsMax: limits.addressConnectionsMax },
    proxies: { forwarders: env.TRUSTED_PROXIES, relays: env.PROXY_PROTOCOL_FROM },
  };
}

function servicesOptions(env: GatewayEnv, limits: typeof gatewayLimits): ForwardingOptions['services'] {
  return {
    authSessionUrl: env.AUTH_SESSION_URL,
    authorizeTimeoutMs: limits.authorizeTimeoutMs,
    upstreamTimeoutMs: limits.upstreamTimeoutMs,
    connectionsMax: limits.upstreamConnectionsMax,
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
