import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { ConnectionRefusal } from '../../telemetry';
import { refuseConnection } from './raw-answer';

export interface ConnectionGateSettings {
  /** Time a new connection has to send its first byte. */
  firstByteTimeoutMs: number;
  /** Most connections of one address. */
  addressConnectionsMax: number;
  /** Peers that speak for many clients and are not counted. */
  isTrustedProxy(address: string): boolean;
  onRefused(reason: ConnectionRefusal): void;
}

/** First byte of every TLS handshake record. */
const tlsHandshake = 0x16;

/**
 * Stands before TLS on the public port: plain HTTP gets one JSON 400 and no effect (R-1-9), silent and surplus connections are closed.
 * The HTTPS server keeps listening itself, for only a listening server runs Node's checks on slow requests.
 */
export class ConnectionGate {
  private readonly perAddress = new Map<string, number>();
  private readonly undecided = new Set<Socket>();

  constructor(private readonly settings: ConnectionGateSettings) {}

  /** Takes over the server's `connection` event; connections that turn out to be TLS go on as before. */
  guard(server: Server): void {
    const [startTls] = server.listeners('connection') as [(socket: Socket) => void];
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (this.isCounted(socket)) this.awaitFirstByte(socket, () => startTls.call(server, socket));
    });
  }

  /** Closes connections that have not said anything yet (shutdown). */
  closeUndecided(): void {
    for (const socket of this.undecided) socket.destroy();
  }

  private isCounted(socket: Socket): boolean {
    const address = socket.remoteAddress ?? '';
    if (this.settings.isTrustedProxy(address)) return true;
    const count = (this.perAddress.get(address) ?? 0) + 1;
    if (count > this.settings.addressConnectionsMax) {
      this.settings.onRefused('address-limit');
      socket.destroy();
      return false;
    }
    this.perAddress.set(address, count);
    socket.once('close', () => this.release(address));
    return true;
  }

  private release(address: string): void {
    const count = (this.perAddress.get(address) ?? 1) - 1;
    if (count === 0) this.perAddress.delete(address);
    else this.perAddress.set(address, count);
  }

  private awaitFirstByte(socket: Socket, startTls: () => void): void {
    const abandon = (): void => void socket.destroy();
    const timeout = setTimeout(() => {
      this.settings.onRefused('silent');
      abandon();
    }, this.settings.firstByteTimeoutMs);
    this.undecided.add(socket);
    const decided = (): void => {
      clearTimeout(timeout);
      this.undecided.delete(socket);
      socket.off('error', abandon).off('close', decided);
    };
    socket.once('error', abandon).once('close', decided);
    socket.once('readable', () => {
      decided();
      this.decide(socket, startTls);
    });
  }

  private decide(socket: Socket, startTls: () => void): void {
    const first = socket.read(1) as Buffer | null;
    if (first === null) return void socket.destroy();
    if (first[0] === tlsHandshake) {
      socket.unshift(first);
      return startTls();
    }
    this.settings.onRefused('plain-http');
    refuseConnection(socket, 'HTTPS is required');
  }
}
