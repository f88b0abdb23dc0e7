import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Bytes in, bytes out: for requests no HTTP client would send. */
export class RawConnection {
  received = '';
  /** Set when the connection was reset. */
  errorCode: string | undefined;
  readonly closed: Promise<void>;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.errorCode = error.code;
      socket.destroy();
    });
    this.closed = new Promise(resolve => socket.once('close', () => resolve()));
  }

  static async tls(port: number, ca: string, localAddress?: string): Promise<RawConnection> {
    const tcp = connectTcp({ port, host: '127.0.0.1', localAddress });
    const socket = connectTls({ socket: tcp, servername: 'localhost', ca, ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    return new RawConnection(socket);
  }

  static async tcp(port: number): Promise<RawConnection> {
    const socket = connectTcp({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  send(text: string): void {
    this.socket.write(text, 'latin1');
  }

  /** Resolves when everything is handed to the network; rejects when the other side has closed before. */
  sendWhole(text: string): Promise<void> {
    return new Promise((resolve, reject) => this.socket.write(text, 'latin1', error => (error ? reject(error) : resolve())));
  }

  /** Everything received once the other side has closed. */
  async untilClosed(): Promise<string> {
    await this.closed;
    return this.received;
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** Status codes of all answers in a raw exchange. */
export function statusesOf(raw: string): number[] {
  return [...raw.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(match => Number(match[1])).filter(status => status !== 100);
}
