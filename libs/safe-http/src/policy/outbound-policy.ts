import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Targets that requests of this deployment may reach. The policy refuses all others (T-11). */
export interface OutboundPolicy {
  /** Decides schemes, ports and IP literals (R-8-6, A-45). */
  environment: 'sandbox' | 'production';
  /**
   * CIDRs that may be reached although they are not globally routable. Empty everywhere but in standalone and tests. In the sandbox they
   * may be reached on any port; in production the list lifts the address rule only.
   */
  allow: readonly string[];
  /** CIDRs that requests may never reach, even if another rule allows them, for internal ranges with public-looking addresses. */
  deny?: readonly string[];
  /** PEM file with certificate authorities trusted in addition to the built-in ones. Verification itself is never switched off (T-13). */
  caFile?: string | null;
  /** PEM files of the certificate and key that the platform shows to receivers that demand one; both or none. */
  clientCertFile?: string | null;
  clientKeyFile?: string | null;
  /** Oldest TLS version of a receiver that is accepted. Default 1.2. */
  tlsMinVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** `http://host:port` of a CONNECT proxy. Addresses are checked here, and the proxy gets the checked address, never a name. */
  proxy?: string | null;
  /** Addresses of this host that requests leave from (R-6.2-8), at most one per family; a family without one is then not dialled. Empty: the system chooses. */
  sourceAddresses?: readonly string[];
  /** DNS servers as `address` or `address:port`; empty: those of the system. */
  dnsServers?: readonly string[];
  /** Budget of one name look-up over all tries, in milliseconds. Default 5,000. */
  lookUpTimeoutMs?: number;
}

type Address = ReturnType<typeof ipaddr.parse>;
type Range = [Address, number];

/** Global unicast space that IANA has assigned; the rest of IPv6 is reserved and refused. */
const globalUnicastV6: Range = ipaddr.parseCIDR('2000::/3');

/** Ranges that the library classifies as unicast but that requests must not reach. */
const refusedUnicast: Range[] = [
  // Azure's platform endpoint (metadata, wire server) answers on a public-looking address.
  '168.63.129.16/32',
  // IETF protocol assignments, including future ones.
  '192.0.0.0/24',
  '2001::/23',
  '2002::/16',
  '2001:db8::/32',
  '3fff::/20',
].map(cidr => ipaddr.parseCIDR(cidr));

/**
 * True when packets to the address can only leave for the public internet. `address` is in canonical text form, as DNS answers and parsed
 * URLs are; anything else is refused. Loopback, private, link-local, CGNAT, multicast, documentation, benchmarking and reserved space, and
 * every IPv6 form that embeds an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo) are not routable.
 */
export function isGloballyRoutable(address: string): boolean {
  const parsed = parseStrictly(address);
  if (!parsed || parsed.range() !== 'unicast') return false;
  if (parsed.kind() === 'ipv6' && !contains(globalUnicastV6, parsed)) return false;
  return !refusedUnicast.some(range => contains(range, parsed));
}

/** A list of CIDRs. @throws Error naming the entry that is not a CIDR */
export class CidrList {
  private readonly ranges: Range[];

  constructor(cidrs: readonly string[]) {
    this.ranges = cidrs.map(parseCidr);
  }

  get isEmpty(): boolean {
    return this.ranges.length === 0;
  }

  contains(address: string): boolean {
    const parsed = parseStrictly(address);
    return parsed !== undefined && this.ranges.some(range => contains(range, parsed));
  }
}

function parseCidr(cidr: string): Range {
  if (!ipaddr.isValidCIDR(cidr)) throw new Error(`not a CIDR: ${cidr}`);
  return ipaddr.parseCIDR(cidr);
}

/** Accepts canonical spellings only; the library would also accept octal, hexadecimal and short forms. Refuses zones. */
function parseStrictly(address: string): Address | undefined {
  if (isIP(address) === 0 || address.includes('%')) return undefined;
  return ipaddr.parse(address);
}

function contains([network, bits]: Range, address: Address): boolean {
  return address.kind() === network.kind() && address.match(network as never, bits);
}
