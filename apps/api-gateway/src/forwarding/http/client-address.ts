import ipaddr from 'ipaddr.js';
import { type RawHeaders, valuesOf } from '../domain/header-lines';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Trusted proxies. X-Forwarded-For is read from them only (T-26). */
export class TrustedProxies {
  private readonly ranges: Range[];

  /** Throws on an entry that is neither an address nor a CIDR range; `setting` is the name of the setting. */
  constructor(entries: readonly string[], setting: string) {
    this.ranges = entries.map(entry => rangeOf(entry, setting));
  }

  includes(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.ranges.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits));
  }

  /** Address of the client: the nearest hop that is not a trusted proxy, reading X-Forwarded-For from its end. */
  clientAddressOf(peer: string, headers: RawHeaders): string {
    let client = canonical(peer);
    const hops = valuesOf(headers, 'x-forwarded-for').flatMap(value => value.split(','));
    while (this.includes(client) && hops.length > 0) {
      const hop = hops.pop()!.trim();
      if (!ipaddr.isValid(hop)) break;
      client = canonical(hop);
    }
    return client;
  }
}

/** `::ffff:192.0.2.1` is `192.0.2.1`; IPv6 in its shortest form. */
function canonical(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

function rangeOf(entry: string, setting: string): Range {
  if (entry.includes('/') && ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  if (!ipaddr.isValid(entry)) throw new Error(`${setting}: ${entry} is neither an address nor a CIDR range`);
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
