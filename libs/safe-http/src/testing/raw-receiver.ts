import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';

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

const piece = Buffer.alloc(32_768, 'a');
const zippedZeros = gzipSync(Buffer.alloc(50_000_000));

/** Writes `start`, then `more` for as long as the other side reads. */
export function pour(socket: Socket, start: string, more: string | Buffer): void {
  const next = () => {
    while (!socket.destroyed && socket.write(more));
  };
  socket.on('drain', next);
  socket.write(start, 'latin1');
  next();
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const zeros = '0'.repeat(piece.length);
const lines = (line: string) => line.repeat(Math.ceil(piece.length / line.length));

/** Ways to make a client read without end before there is a status (T-12): no status ever comes of them. */
export const framingsBeforeStatus: [string, (socket: Socket) => void][] = [
  ['a status line without end', socket => pour(socket, 'HTTP/1.1 200 ', piece)],
  ['white space before the status line', socket => pour(socket, '', lines('\r\n'))],
  ['interim answers without end', socket => pour(socket, '', lines('HTTP/1.1 103 Hints\r\n\r\n'))],
  ['interim answers with fields without end', socket => pour(socket, 'HTTP/1.1 103 X\r\n', lines('link: </a>\r\n'))],
  ['bytes that are no HTTP', socket => pour(socket, '', piece)],
];

/** Ways to make a client read without end once it has its status (T-12, A-06): the 200 counts, the rest is not read. */
export const framingsAfterStatus: [string, (socket: Socket) => void][] = [
  ['a chunk size line without end', socket => pour(socket, chunked, zeros)],
  ['a chunk extension without end', socket => pour(socket, `${chunked}1;x=`, piece)],
  ['a quoted chunk extension without end', socket => pour(socket, `${chunked}1;x="`, piece)],
  ['chunk extensions on every chunk', socket => pour(socket, chunked, lines(`1;${'x'.repeat(1_000)}\r\na\r\n`))],
  ['empty-looking chunks without end', socket => pour(socket, chunked, lines('1\r\na\r\n'))],
  ['trailers without end', socket => pour(socket, `${chunked}0\r\n`, lines('x: y\r\n'))],
  ['one trailer without end', socket => pour(socket, `${chunked}0\r\nx: `, piece)],
  ['a body without end or length', socket => pour(socket, `${ok}\r\n`, piece)],
  ['10 GB announced and sent', socket => pour(socket, `${ok}content-length: 10000000000\r\n\r\n`, piece)],
  ['a gzip bomb', socket => pour(socket, `${ok}content-encoding: gzip\r\n\r\n`, zippedZeros)],
];

/** A header without end: refused or dropped by the parser before a status is told to anybody, or after it. */
export const framingsInHeader: [string, (socket: Socket) => void][] = [
  ['a header value without end', socket => pour(socket, `${ok}x: `, piece)],
  ['a header name without end', socket => pour(socket, ok, piece)],
  ['header fields without end', socket => pour(socket, ok, lines('x: y\r\n'))],
  ['a folded header without end', socket => pour(socket, `${ok}x: y\r\n`, lines(' folded\r\n'))],
];

/** Spellings of a 200 that some clients read and RFC 9112 lets a reader refuse. */
export const spellingsRefused: [string, string][] = [
  ['bare line feeds', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
  ['Content-Length twice', `${ok}content-length: 0\r\ncontent-length: 0\r\n\r\n`],
  ['a list of equal Content-Lengths', `${ok}content-length: 0, 0\r\n\r\n`],
  ['Content-Length beside chunks', `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a blank before a colon', `${ok}content-length : 0\r\n\r\n`],
  ['a folded line', `${ok}x: y\r\n folded\r\ncontent-length: 0\r\n\r\n`],
  ['a field without a name', `${ok}: y\r\ncontent-length: 0\r\n\r\n`],
];
