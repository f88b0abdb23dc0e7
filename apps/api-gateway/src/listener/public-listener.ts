import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { acceptWaiting, backlog, Lifecycle, type Logger } from '@paycode/service-runtime';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, Server as TcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionRefusal, GatewayMetrics } from '../gateway-metrics';
import { RelayEndpoints } from '../relay/relay-endpoints';
import type { AnswerRequest } from '../requests/answer-request';
import type { Certificate, CertificateFiles } from './certificate-files';
import type { ConnectionGate } from './connection-gate';
import { PlainListener, refuseAndCut, type UnreadableRequest } from './plain-listener';

const sweepIntervalMs = 50;
/** Grace time, because a request, or the first byte of a connection, may be on its way when the gateway begins to stop. */
const idleGraceMs = 1_000;

export interface ListenerOptions {
  host: string;
  port: number;
  headerBytesMax: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
  connectionsMax: number;
}

/** The TLS listener for all clients. It offers HTTP/1.1 only, by ALPN; docs/decisions/edge-and-access.md says why. */
export class PublicListener {
  private server: Server | undefined;
  private readonly turns = new ConnectionTurns(() => this.metrics.connectionRefused('pipelined'));
  /** Connections that never carried a request: Node does not count them as idle. */
  private readonly unused = new Set<Socket>();

  constructor(
    private readonly options: ListenerOptions,
    private readonly certificates: CertificateFiles,
    private readonly gate: ConnectionGate,
    private readonly answerRequest: AnswerRequest,
    private readonly metrics: GatewayMetrics,
    private readonly logger: Logger,
  ) {}

  /** Bound port; 0 before `open`. */
  get port(): number {
    return (this.server?.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Rejects when the certificate is not usable or the port is taken. */
  async open(): Promise<void> {
    const certificate = await this.certificates.read();
    const server = createServer(this.serverOptions(certificate));
    server.maxConnections = this.options.connectionsMax;
    server.setTimeout(this.options.idleTimeoutMs);
    this.gate.guard(server);
    server.on('secureConnection', socket => {
      this.unused.add(socket);
      socket.once('close', () => this.unused.delete(socket));
    });
    // The gateway need not meet an unknown expectation (RFC 9110 10.1.1). Node alone would answer it without the error body.
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.on(event, (request: IncomingMessage, response: ServerResponse) => this.onRequest(request, response));
    }
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.onUnreadable(error, socket));
    server.listen({ host: this.options.host, port: this.options.port, backlog });
    await once(server, 'listening');
    this.server = server;
    this.watchCertificate(server, certificate);
    this.logger.info({ event: 'public-listener', port: this.port }, 'public TLS listener open');
  }

  /** Stops accepting, answers what is in progress and what comes within the grace time, each as the last on its connection, then resolves. */
  async close(): Promise<void> {
    const { server } = this;
    if (!server?.listening) return;
    this.certificates.stop();
    this.answerRequest.isClosing = true;
    await acceptWaiting(server);
    const closed = once(server, 'close');
    // An HTTP server's own close() ends idle connections at once, perhaps while a client sends on one.
    TcpServer.prototype.close.call(server);
    let sweep: NodeJS.Timeout | undefined;
    const lastCall = setTimeout(() => {
      sweep = setInterval(() => server.closeIdleConnections(), sweepIntervalMs);
      this.gate.closeUndecided();
      for (const socket of this.unused) socket.destroy();
    }, idleGraceMs);
    await closed;
    clearTimeout(lastCall);
    clearInterval(sweep);
    // Ends Node's checks of slow requests. It reports that the server does not listen any more, which is expected.
    server.close(() => undefined);
  }

  private serverOptions(certificate: Certificate) {
    const { headerBytesMax, headersTimeoutMs, requestTimeoutMs, idleTimeoutMs } = this.options;
    return {
      ...this.certificates.tlsOf(certificate),
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: headersTimeoutMs,
      maxHeaderSize: headerBytesMax,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: idleTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, headersTimeoutMs / 2),
      insecureHTTPParser: false,
      requireHostHeader: true,
    };
  }

  private watchCertificate(server: Server, current: Certificate): void {
    const { certificates, metrics, logger } = this;
    metrics.certificateInUse(current.notAfter);
    certificates.watch(
      next => {
        server.setSecureContext(certificates.tlsOf(next));
        metrics.certificateInUse(next.notAfter);
        logger.info({ event: 'certificate-reloaded' }, 'certificate reloaded');
      },
      error => logger.error({ event: 'certificate-unusable', err: error }, 'new certificate is not usable; the old one stays'),
    );
  }

  private onRequest(request: IncomingMessage, response: ServerResponse): void {
    this.unused.delete(request.socket);
    const turn = this.turns.of(request.socket);
    void turn.take(response, () => this.answerRequest.answer(request, response));
  }

  /**
   * Handles unreadable requests (malformed, contradictory (smuggling), too large, too slow) and failed TLS handshakes. A connection on which
   * no request began is closed without an answer: browsers open connections ahead, and would read it as the answer to what they ask next.
   */
  private onUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    const isSilent = error.code === timedOut && socket.bytesRead === 0;
    const unreadable = isSilent ? undefined : unreadableBy(error.code ?? '');
    this.metrics.connectionRefused(isSilent ? 'silent' : reasonOf(error.code, unreadable));
    if (!unreadable || !socket.writable || this.turns.of(socket).isAnswering) return void socket.destroy();
    refuseAndCut(socket, unreadable);
  }
}

const timedOut = 'ERR_HTTP_REQUEST_TIMEOUT';

const unreadables: Record<string, UnreadableRequest> = {
  HPE_HEADER_OVERFLOW: { status: 400, message: 'header fields are larger than allowed' },
  [timedOut]: { status: 408, message: 'the request took too long' },
};

/** The answer to a client whose request could not be read; undefined when it does not use TLS. */
function unreadableBy(code: string): UnreadableRequest | undefined {
  return unreadables[code] ?? (code.startsWith('HPE_') ? { status: 400, message: 'request is not valid HTTP' } : undefined);
}

function reasonOf(code: string | undefined, unreadable: UnreadableRequest | undefined): ConnectionRefusal {
  if (code === timedOut) return 'slow';
  return unreadable ? 'malformed' : 'tls';
}

/** Pipelined requests a connection may have waiting; no known client sends more than one or two. */
const waitingMax = 16;
/** Of these with a body, of which Node keeps up to 64 KiB in memory until its turn. Bodies that wait are not among the open bodies. */
const waitingBodiesMax = 2;

/** The requests of one connection, one at a time. */
class ConnectionTurn {
  private queue: Promise<void> = Promise.resolve();
  private waiting = 0;
  private waitingBodies = 0;
  private current: ServerResponse | undefined;

  constructor(
    private readonly socket: Duplex,
    private readonly onRefused: () => void,
  ) {}

  /** True when the current answer has begun, so that nothing else may be written into it. */
  get isAnswering(): boolean {
    return this.current?.headersSent === true && !this.current.writableFinished;
  }

  /**
   * Runs `answer` when all earlier requests are answered, or never when one of them ended the connection. Node emits pipelined
   * requests at once, so without this order a request after a refused one would still be carried out.
   */
  take(response: ServerResponse, answer: () => Promise<void>): Promise<void> {
    const bodies = hasBody(response.req) ? 1 : 0;
    if (this.waiting >= waitingMax || this.waitingBodies + bodies > waitingBodiesMax) this.refuse();
    this.waiting += 1;
    this.waitingBodies += bodies;
    this.queue = this.queue.then(async () => {
      this.waiting -= 1;
      this.waitingBodies -= bodies;
      if (this.socket.destroyed || endsConnection(this.current)) return;
      this.current = response;
      await answer();
    });
    return this.queue;
  }

  private refuse(): void {
    if (this.socket.destroyed) return;
    this.onRefused();
    this.socket.destroy();
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function endsConnection(response: ServerResponse | undefined): boolean {
  return response?.shouldKeepAlive === false || response?.getHeader('connection') === 'close';
}

/** The order of requests of each open connection. */
class ConnectionTurns {
  private readonly turns = new WeakMap<Duplex, ConnectionTurn>();

  /** `onRefused`: too much was pipelined, so the connection is closed. */
  constructor(private readonly onRefused: () => void) {}

  of(socket: Duplex): ConnectionTurn {
    const known = this.turns.get(socket);
    if (known) return known;
    const turn = new ConnectionTurn(socket, this.onRefused);
    this.turns.set(socket, turn);
    return turn;
  }
}

/** Opens the outer listeners last and closes them first: readiness goes false, running requests end, then the rest stops. */
@Injectable()
export class ListenersLifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly publicListener: PublicListener,
    private readonly plainListener: PlainListener,
    private readonly lifecycle: Lifecycle,
    @Inject(RelayEndpoints) private readonly relay: RelayEndpoints | null,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.lifecycle.addCheck({
      name: 'public-listener',
      kind: 'ready',
      check: () => (this.publicListener.port === 0 ? 'not listening' : undefined),
    });
    this.lifecycle.onDrain('public-listener', () => this.close());
    await this.publicListener.open();
    await this.plainListener.open();
  }

  /** Closes the listeners after a failed start, in which nothing drains. */
  onModuleDestroy(): Promise<void> {
    return this.close();
  }

  private async close(): Promise<void> {
    // A listener's connection would hold the stop up.
    this.relay?.close();
    await Promise.all([this.publicListener.close(), this.plainListener.close()]);
  }
}
