import type { Socket } from 'node:net';
import type { RawHeaders } from '../domain/header-lines';
import type { TrustedProxies } from './client-address';

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

  /**
   * Whether the address is a proxy with many clients in one connection, whose connections do not count as those of one
   * client.
   */
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
