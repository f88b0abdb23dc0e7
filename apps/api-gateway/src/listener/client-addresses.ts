import ipaddr from 'ipaddr.js';
import type { Socket } from 'node:net';
import { type RawHeaders, valuesOf } from '../forwarding/domain/header-lines';

/** Address of the client of each connection: the peer, or the one that a named proxy announces (T-30). */
export class ClientAddresses {
  /** By peer address and port, which TLS and the TCP connection below it share. */
  private readonly announced = new Map<string, string>();

  /**
   * @param forwarders proxies whose X-Forwarded-For is trusted
   * @param relays peers that begin each connection with a header of the PROXY protocol
   */
  constructor(
    private readonly forwarders: TrustedProxies,
    private readonly relays: TrustedProxies,
  ) {}

  /** The peer must send a header of the PROXY protocol before anything else. */
  isRelay(socket: Socket): boolean {
    return this.relays.includes(socket.remoteAddress ?? '');
  }

  /** Whether the address is a proxy with many clients in one connection, whose connections do not count as those of one client. */
  isForwarder(address: string): boolean {
    return this.forwarders.includes(address);
  }

  /** Stores the address that the relay named, until the connection ends. */
  announce(socket: Socket, source: string): void {
    const key = keyOf(socket);
    this.announced.set(key, source);
    socket.once('close', () => this.announced.delete(key));
  }

  /** Address of the client behind a connection, without a request's headers. */
  peerOf(socket: Socket): string {
    return this.announced.get(keyOf(socket)) ?? socket.remoteAddress ?? '';
  }

  /** Address of the client that sent a request. */
  clientOf(socket: Socket, headers: RawHeaders): string {
    return this.forwarders.clientAddressOf(this.peerOf(socket), headers);
  }
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress}|${socket.remotePort}`;
}

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
