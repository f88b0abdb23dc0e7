import { writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** One request that arrived whole. */
export interface WebhookPost {
  transactionId: number;
  attempt: number;
  body: string;
  socket: Socket;
  /** Address it came from. */
  source: string;
  /** Instant of its arrival on this process's monotonic clock. */
  arrivedMs: number;
  /** Milliseconds since it arrived, including the time in which this process was stalled. */
  elapsedMs(): number;
  /** Writes raw bytes; a status line goes into the log. */
  write(text: string | Buffer): void;
  /** A complete, ordinary answer. */
  answer(status: number): void;
}

export type Behaviour = (post: WebhookPost) => void;

export interface ReceiverOptions {
  /** Default: plain TCP. */
  tls?: TlsOptions;
  /** Address to listen on. Default: 127.0.0.1. */
  host?: string;
}

interface Sender {
  socket: Socket;
  source: string;
}

interface Logged {
  transactionId: number;
  attempt: number;
  status: number | null;
  elapsedMs: number;
}

/** A webhook receiver on plain TCP that can send any answer or none. It logs its requests and answers. */
export class FaultReceiver {
  readonly posts: WebhookPost[] = [];
  private readonly logged: Logged[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private readonly stallWatch = new StallWatch();
  behaviour: Behaviour = post => post.answer(200);
  /** Called for each connection before anything is read; true: nothing more happens to it. */
  onConnection: (socket: Socket) => boolean = () => false;
  /** Connections so far. */
  connections = 0;

  private constructor({ tls }: ReceiverOptions) {
    const serve = (socket: Socket) => this.serve(socket);
    this.server = tls ? createTlsServer(tls, serve) : createServer({ pauseOnConnect: true }, serve);
  }

  static async start(options: ReceiverOptions = {}): Promise<FaultReceiver> {
    const receiver = new FaultReceiver(options);
    await new Promise<void>(resolve => receiver.server.listen(0, options.host ?? '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }
  get url(): string {
    return `http://127.0.0.1:${this.port}/webhook`;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  postsOf(transactionId: number): WebhookPost[] {
    return this.posts.filter(post => post.transactionId === transactionId);
  }

  /** The logs of many receivers as one, as the audit reads it; times multiplied by `scale`. */
  static writeLogs(file: string, receivers: readonly FaultReceiver[], scale: number): void {
    const lines = receivers
      .flatMap(receiver => receiver.logged)
      .map(line => JSON.stringify({ ...line, elapsedMs: line.elapsedMs * scale }));
    writeFileSync(file, lines.join('\n'));
  }

  cutConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cutConnections();
    this.stallWatch.stop();
    await new Promise(resolve => this.server.close(resolve));
  }

  private serve(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    // Connections are reset on purpose.
    socket.on('error', () => socket.destroy()).on('close', () => this.sockets.delete(socket));
    if (this.onConnection(socket)) return;
    // Read now: a sender that is killed leaves a socket without addresses.
    const sender = { socket, source: socket.remoteAddress ?? '' };
    let received = '';
    socket.setEncoding('latin1').on('data', (text: unknown) => {
      received += text as string;
      received = this.takeRequests(received, sender);
    });
    socket.resume();
  }

  /** Handles every complete request; returns the remaining text. */
  private takeRequests(received: string, sender: Sender): string {
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return received;
    const head = received.slice(0, headEnd);
    const length = Number(header(head, 'content-length') ?? 0);
    const end = headEnd + 4 + length;
    if (received.length < end) return received;
    this.arrived(head, received.slice(headEnd + 4, end), sender);
    return this.takeRequests(received.slice(end), sender);
  }

  private arrived(head: string, body: string, { socket, source }: Sender): void {
    const atMs = performance.now();
    const waitedMs = this.stallWatch.waitedBefore(atMs);
    const transactionId = Number(header(head, 'x-webhook-transaction-id') ?? 0);
    const attempt = Number(header(head, 'x-webhook-attempt') ?? 0);
    const line: Logged = { transactionId, attempt, status: null, elapsedMs: 0 };
    this.logged.push(line);
    const elapsedMs = () => waitedMs + performance.now() - atMs;
    const write = (text: string | Buffer) => {
      const status = /^HTTP\/1\.[01] ([2-9]\d\d)/.exec(text.toString('latin1'))?.[1];
      if (status && line.status === null) Object.assign(line, { status: Number(status), elapsedMs: elapsedMs() });
      if (!socket.destroyed) socket.write(text);
    };
    const answer = (status: number) => write(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`);
    const post = { transactionId, attempt, body, socket, source, arrivedMs: atMs, elapsedMs, write, answer };
    this.posts.push(post);
    this.behaviour(post);
  }
}

function header(head: string, name: string): string | undefined {
  return new RegExp(`^${name}:\\s*(.*)$`, 'im').exec(head)?.[1]?.trim();
}

/** Answers with `status` after `afterMs`. */
export const answerAfter =
  (afterMs: number, status = 200): Behaviour =>
  post =>
    void setTimeout(() => post.answer(status), afterMs);

/** Never answers. */
export const hang: Behaviour = () => undefined;

const tickMs = 20;
/** A pause between two ticks from which on this process counts as stalled. */
const stallMsMin = 100;

interface Stall {
  fromMs: number;
  toMs: number;
}

/**
 * Records when this process could not run. A receiver reads requests that arrived meanwhile only afterwards: by its own clock it answers
 * at once, by the sender's clock it does not.
 */
class StallWatch {
  private readonly stalls: Stall[] = [];
  private lastMs = performance.now();
  private readonly timer = setInterval(() => this.tick(), tickMs).unref();

  /** How long data that is read at that instant may have waited for this process, in milliseconds. */
  waitedBefore(atMs: number): number {
    this.tick();
    const last = this.stalls.at(-1);
    return last && last.toMs >= atMs - stallMsMin ? atMs - last.fromMs : 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const nowMs = performance.now();
    if (nowMs - this.lastMs > stallMsMin) this.stalls.push({ fromMs: this.lastMs, toMs: nowMs });
    this.lastMs = nowMs;
  }
}
