import ipaddr from 'ipaddr.js';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { type ConnectionRefusal, GatewayMetrics } from '../gateway-metrics';
import { addressKey } from '../limits/rate-limits';
import type { ClientAddresses } from './client-addresses';
import { refuseConnection } from './plain-listener';
import { readProxyHeader } from './proxy-header';

/** First byte of every TLS handshake record. */
const tlsHandshake = 0x16;

export interface GateOptions {
  /** Time a new connection has to send its first byte, and a relay its whole header. */
  firstByteTimeoutMs: number;
  /** Most connections of one address; of one /64 in IPv6. */
  addressConnectionsMax: number;
}

/**
 * Runs before TLS on the public port. It reads the client's address from relays, answers plain HTTP with one JSON 400 without any effect
 * (R-1-9), and closes silent and surplus connections. The HTTPS server itself keeps listening, because only a listening server runs Node's
 * checks of slow requests.
 */
export class ConnectionGate {
  private readonly perAddress = new Map<string, number>();
  private readonly undecided = new Set<Socket>();
  private readonly watch = new SharedAddressWatch();

  constructor(
    private readonly options: GateOptions,
    private readonly addresses: ClientAddresses,
    private readonly reports: Pick<GateReports, 'onRefused' | 'onSharedAddress'>,
  ) {}

  /** Handles the server's `connection` event; TLS connections then continue as usual. */
  guard(server: Server): void {
    const [startTls] = server.listeners('connection') as [(socket: Socket) => void];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      const start = () => startTls.call(server, socket);
      if (this.addresses.isRelay(socket)) this.awaitHeader(socket, start);
      else if (this.isCounted(socket)) this.awaitClient(socket, start);
    });
  }

  /** Closes connections that have not sent anything yet, at shutdown. */
  closeUndecided(): void {
    for (const socket of this.undecided) socket.destroy();
  }

  private isCounted(socket: Socket): boolean {
    const address = this.addresses.peerOf(socket);
    if (this.addresses.isForwarder(address)) return true;
    const shared = this.watch.connected(address);
    if (shared !== undefined) this.reports.onSharedAddress(shared);
    const key = addressKey(address);
    const count = (this.perAddress.get(key) ?? 0) + 1;
    if (count > this.options.addressConnectionsMax) {
      this.reports.onRefused('address-limit');
      socket.destroy();
      return false;
    }
    this.perAddress.set(key, count);
    socket.once('close', () => this.release(key));
    return true;
  }

  private release(key: string): void {
    const count = (this.perAddress.get(key) ?? 1) - 1;
    if (count === 0) this.perAddress.delete(key);
    else this.perAddress.set(key, count);
  }

  /** Passes the received bytes to `next` until it returns the next step, or the time is over. */
  private awaitBytes(socket: Socket, next: (bytes: Buffer) => (() => void) | undefined): void {
    const abandon = (): void => void socket.destroy();
    const timeout = setTimeout(() => {
      this.reports.onRefused('silent');
      abandon();
    }, this.options.firstByteTimeoutMs);
    this.undecided.add(socket);
    const decided = (): void => {
      clearTimeout(timeout);
      this.undecided.delete(socket);
      socket.off('error', abandon).off('close', decided).off('readable', read);
    };
    const read = (): void => {
      const bytes = socket.read() as Buffer | null;
      if (bytes === null) return abandon();
      const goOn = next(bytes);
      if (!goOn) return;
      decided();
      goOn();
    };
    socket.once('error', abandon).once('close', decided).on('readable', read);
  }

  private awaitHeader(socket: Socket, startTls: () => void): void {
    let received: Buffer = Buffer.alloc(0);
    this.awaitBytes(socket, bytes => {
      received = Buffer.concat([received, bytes]);
      const header = readProxyHeader(received);
      if (header.kind === 'INCOMPLETE') return undefined;
      if (header.kind === 'COMPLETE')
        return () => this.admit(socket, { source: header.source, first: received.subarray(header.bytes), startTls });
      return () => {
        this.reports.onRefused('proxy-header');
        socket.destroy();
      };
    });
  }

  /** `first`: the bytes after the header, which come from the client. */
  private admit(
    socket: Socket,
    { source, first, startTls }: { source: string | undefined; first: Buffer; startTls: () => void },
  ): void {
    if (source !== undefined) this.addresses.announce(socket, source);
    if (!this.isCounted(socket)) return;
    if (first.length > 0) socket.unshift(first);
    this.awaitClient(socket, startTls);
  }

  private awaitClient(socket: Socket, startTls: () => void): void {
    this.awaitBytes(socket, bytes => () => {
      if (bytes[0] === tlsHandshake) {
        socket.unshift(bytes);
        return startTls();
      }
      this.reports.onRefused('plain-http');
      refuseConnection(socket, 'HTTPS is required');
    });
  }
}

const sharedAddress =
  'nearly all clients connect from one private address: limits, source rules and the audit log use the address of a proxy; ' +
  'let it speak the PROXY protocol and name it in PROXY_PROTOCOL_FROM, or name it in TRUSTED_PROXIES if it terminates TLS';

/** Where the gate before TLS reports to: metrics and log. */
@Injectable()
export class GateReports {
  constructor(
    private readonly metrics: GatewayMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onRefused(reason: ConnectionRefusal): void {
    this.metrics.connectionRefused(reason);
  }

  onSharedAddress(address: string): void {
    this.logger.warn({ event: 'clients-share-one-address', address }, sharedAddress);
  }
}

/** Number of connections per window, and the number of them that one address must have. */
const windowConnections = 1_000;
const shareMin = 0.9;

/**
 * Detects a proxy that hides all clients behind its own address: nearly every connection then comes from one private address, and all
 * clients share each limit per address (T-30).
 */
export class SharedAddressWatch {
  private readonly counts = new Map<string, number>();
  private seen = 0;

  /** Counts one connection; returns the private address that nearly all of the last 1,000 came from, if there is one. */
  connected(address: string): string | undefined {
    this.counts.set(address, (this.counts.get(address) ?? 0) + 1);
    this.seen += 1;
    if (this.seen < windowConnections) return undefined;
    const shared = [...this.counts].find(([, count]) => count >= windowConnections * shareMin)?.[0];
    this.counts.clear();
    this.seen = 0;
    return shared !== undefined && isPrivate(shared) ? shared : undefined;
  }
}

function isPrivate(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  return ['private', 'uniqueLocal', 'carrierGradeNat', 'linkLocal'].includes(ipaddr.process(address).range());
}
