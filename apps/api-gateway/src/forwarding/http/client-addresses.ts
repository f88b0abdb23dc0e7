import type { Socket } from 'node:net';
import type { RawHeaders } from '../domain/header-lines';
import type { TrustedProxies } from './client-address';

/** Who is at the other end of each connection: the peer, or whom a named proxy says it speaks for (T-30). */
export class ClientAddresses {
  /** By peer address and port, which TLS and the TCP connection below it share. */
  private readonly announced = new Map<string, string>();

  /**
   * @param forwarders proxies whose X-Forwarded-For is believed
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

  /** Speaks for many clients in one connection, so its connections are not counted as one client's. */
  isForwarder(address: string): boolean {
    return this.forwarders.includes(address);
  }

  /** Notes whom the relay named, for as long as the connection lives. */
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
