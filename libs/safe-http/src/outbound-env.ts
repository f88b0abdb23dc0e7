import { type BaseEnv, type EnvKey, type EnvOf, tlsVersions } from '@paycode/service-runtime';
import type { OutboundPolicy } from './policy/outbound-policy';

/** Keys of a service that sends requests to merchants' receivers. */
export const outboundEnv = {
  OUTBOUND_ALLOW: {
    type: 'list',
    default: [] as string[],
    description:
      'CIDRs that requests may reach although they are not globally routable; in the sandbox on any port. For standalone and tests only.',
  },
  OUTBOUND_DENY: {
    type: 'list',
    default: [] as string[],
    description: 'CIDRs that requests may never reach, for internal ranges with public-looking addresses.',
  },
  OUTBOUND_CA_FILE: {
    type: 'string',
    default: null,
    description: 'PEM file of certificate authorities trusted for receivers in addition to the built-in ones.',
  },
  OUTBOUND_CLIENT_CERT_FILE: {
    type: 'string',
    default: null,
    description:
      'PEM file of the certificate, intermediate ones after it, that the platform shows to receivers that demand one (mutual TLS). Read again when it changes.',
  },
  OUTBOUND_CLIENT_KEY_FILE: {
    type: 'string',
    default: null,
    description: 'PEM file of the key of OUTBOUND_CLIENT_CERT_FILE; both or none.',
  },
  OUTBOUND_TLS_MIN_VERSION: {
    type: 'enum',
    values: tlsVersions,
    default: 'TLSv1.2',
    description: 'Oldest TLS version that a receiver may speak; TLSv1.3: no other (A-81).',
  },
  OUTBOUND_PROXY: {
    type: 'string',
    default: null,
    description: 'CONNECT proxy for requests to receivers, `http://host:port`. HTTP_PROXY and HTTPS_PROXY are not read.',
  },
  OUTBOUND_SOURCE_ADDRESSES: {
    type: 'list',
    default: [] as string[],
    description:
      'Addresses of this host that requests to receivers leave from, at most one IPv4 and one IPv6, for receivers that allow by address (R-6.2-8). Empty: the system chooses.',
  },
  OUTBOUND_DNS_SERVERS: {
    type: 'list',
    default: [] as string[],
    description: "Name servers for receivers' host names, `address` or `address:port`; empty: those of the system.",
  },
} as const satisfies Record<string, EnvKey<unknown>>;

export type OutboundEnv = EnvOf<typeof outboundEnv> & Pick<BaseEnv, 'PAYCODE_ENVIRONMENT'>;

export function outboundPolicyOf(env: OutboundEnv): OutboundPolicy {
  return {
    environment: env.PAYCODE_ENVIRONMENT,
    allow: env.OUTBOUND_ALLOW,
    deny: env.OUTBOUND_DENY,
    caFile: env.OUTBOUND_CA_FILE,
    clientCertFile: env.OUTBOUND_CLIENT_CERT_FILE,
    clientKeyFile: env.OUTBOUND_CLIENT_KEY_FILE,
    tlsMinVersion: env.OUTBOUND_TLS_MIN_VERSION,
    proxy: env.OUTBOUND_PROXY,
    sourceAddresses: env.OUTBOUND_SOURCE_ADDRESSES,
    dnsServers: env.OUTBOUND_DNS_SERVERS,
  };
}

/** `User-Agent` of everything that is sent to receivers, probes and notifications alike: product and version. */
export const userAgent = 'Paycode/0.1.0';
