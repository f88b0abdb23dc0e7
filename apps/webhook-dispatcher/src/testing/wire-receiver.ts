import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export interface WireRequest {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
  socket: Socket;
  /** 1-based connection this request came on, and its number on that connection. */
  connection: number;
  ofConnection: number;
  /** Monotonic instant at which its last byte had arrived. */
  receivedMs: number;
}

export type Answer = (request: WireRequest) => void;

/** An answer with a status and an empty body, keeping the connection. */
export const status =
  (code: number, extra = ''): Answer =>
  ({ socket }) =>
    void socket.write(`HTTP/1.1 ${code} Some Reason\r\ncontent-length: 0\r\n${extra}\r\n`);

/** Never answers. */
export const silence: Answer = () => undefined;

/** A receiver that writes whatever bytes a test wants, over TCP or TLS. */
export class WireReceiver {
  readonly requests: WireRequest[] = [];
  /** Decides what is written for each complete request. */
  answer: Answer = status(200);
  private readonly sockets = new Set<Socket>();
  private connections = 0;

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {}

  static async start(tls?: { key: string; cert: string }, at: { host?: string; port?: number } = {}): Promise<WireReceiver> {
    const server = tls ? createTlsServer(tls) : createServer();
    const receiver = new WireReceiver(server, tls ? 'https' : 'http');
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => receiver.onConnection(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(at.port ?? 0, at.host ?? '127.0.0.1', resolve);
    });
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `localhost`, so that names are resolved and checked against certificates. */
  get url(): string {
    return `${this.scheme}://localhost:${this.port}/hook`;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  get totalConnections(): number {
    return this.connections;
  }

  /** Ids of the transactions that were posted, in order of arrival. */
  get transactionIds(): number[] {
    return this.requests.map(request => Number(request.headers['x-webhook-transaction-id']));
  }

  cutConnections(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  endConnections(): void {
    for (const socket of this.sockets) socket.end();
  }

  writeToAll(text: string): void {
    for (const socket of this.sockets) socket.write(text);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (this.server.listening) await new Promise(resolve => this.server.close(resolve));
  }

  private onConnection(socket: Socket): void {
    const connection = ++this.connections;
    let ofConnection = 0;
    let text = '';
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket)).on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      for (let request = parse(text); request; request = parse(text)) {
        text = text.slice(request.length);
        const seen = { ...request, socket, connection, ofConnection: ++ofConnection, receivedMs: performance.now() };
        this.requests.push(seen);
        this.answer(seen);
      }
    });
  }
}

/** The first complete request in the text, with the characters it takes. */
function parse(text: string) {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [requestLine = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const headers = Object.fromEntries(
    lines.map(line => line.split(/:\s*/, 2) as [string, string]).map(([n, v]) => [n.toLowerCase(), v]),
  );
  const length = headEnd + 4 + Number(headers['content-length'] ?? 0);
  if (text.length < length) return undefined;
  return { method, path, headers, body: text.slice(headEnd + 4, length), length };
}
