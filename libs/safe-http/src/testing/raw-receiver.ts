import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** Behaviour of a receiver on a connection; `text` is the first data received. */
export type RawBehaviour = (socket: Socket, text: string) => void;

/** A receiver on a free loopback port that says exactly the bytes the test wants, over TCP or TLS. */
export class RawReceiver {
  /** Bytes received over all connections. */
  readonly received: string[] = [];
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy()).once('close', () => this.sockets.delete(socket));
    });
  }

  static async start(behaviour: RawBehaviour, tls?: TlsOptions): Promise<RawReceiver> {
    const server: Server = tls ? createTlsServer(tls) : createTcpServer();
    const receiver = new RawReceiver(server);
    server.on('tlsClientError', () => undefined);
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', data => {
        receiver.received.push(data.toString('latin1'));
        behaviour(socket, data.toString('latin1'));
        socket.on('data', more => receiver.received.push(more.toString('latin1')));
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.sockets.size;
  }

  stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    return new Promise(resolve => this.server.close(() => resolve()));
  }
}

/** Answers every request with this status and body, then closes. */
export function answering(status: number, body = ''): RawBehaviour {
  return socket =>
    socket.end(`HTTP/1.1 ${status} X\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
}
