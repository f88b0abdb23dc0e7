import type { MutualTlsFiles } from '@paycode/service-runtime';
import type { RateLimitSettings } from '../limits';
import type { CertificateSettings } from '../tls';
import type { UpstreamName } from './domain/route-table';
import type { ForwardingLimits } from './forward-request';
import type { OpenBodyLimits } from './open-body-limits';

export interface ForwardingOptions {
  /** The public TLS listener. */
  listener: ListenerOptions;
  /** The port that refuses plain HTTP; port null: not opened. */
  plain: { host: string; port: number | null };
  certificate: CertificateSettings;
  /** Before TLS. */
  gate: {
    /** Time a new connection has to send its first byte, and a relay its whole header. */
    firstByteTimeoutMs: number;
    /** Most connections of one address; of one /64 in IPv6. */
    addressConnectionsMax: number;
  };
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

export interface ListenerOptions {
  host: string;
  port: number;
  headerBytesMax: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
  connectionsMax: number;
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
