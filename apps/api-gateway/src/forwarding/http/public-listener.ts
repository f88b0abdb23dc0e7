import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, type Socket, Server as TcpServer } from 'node:net';
import { acceptWaiting, backlog } from '@paycode/service-runtime';
import type { ConnectionRefusal } from '../../telemetry';
import type { Certificate } from '../../tls';
import type { ListenerOptions } from '../forwarding-options';
import { ConnectionTurns } from './connection-turns';
import { ListenerParts } from './listener-parts';
import { refuseAndCut, type UnreadableRequest } from './raw-answer';

const sweepIntervalMs = 50;
/** Grace time, because a request, or the first byte of a connection, may be on its way when the gateway begins to stop. */
const idleGraceMs = 1_000;

/** The TLS listener for all clients. It offers HTTP/1.1 only, by ALPN; docs/decisions/edge-and-access.md says why. */
export class PublicListener {
  private server: Server | undefined;
  private readonly turns = new ConnectionTurns(() => this.parts.metrics.connectionRefused('pipelined'));
  /** Connections that never carried a request: Node does not count them as idle. */
  private readonly unused = new Set<Socket>();

  constructor(
    private readonly options: ListenerOptions,
    private readonly parts: ListenerParts,
  ) {}

  /** Bound port; 0 before `open`. */
  get port(): number {
    return (this.server?.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Rejects when the certificate is not usable or the port is taken. */
  async open(): Promise<void> {
    const { certificates, gate, logger } = this.parts;
    const certificate = await certificates.read();
    const server = createServer(this.serverOptions(certificate));
    server.maxConnections = this.options.connectionsMax;
    server.setTimeout(this.options.idleTimeoutMs);
    gate.guard(server);
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
    logger.info({ event: 'public-listener', port: this.port }, 'public TLS listener open');
  }

  /** Stops accepting, answers what is in progress and what comes within the grace time, each as the last on its connection, then resolves. */
  async close(): Promise<void> {
    const { server } = this;
    if (!server?.listening) return;
    this.parts.certificates.stop();
    this.parts.answerRequest.isClosing = true;
    await acceptWaiting(server);
    const closed = once(server, 'close');
    // An HTTP server's own close() ends idle connections at once, perhaps while a client sends on one.
    TcpServer.prototype.close.call(server);
    let sweep: NodeJS.Timeout | undefined;
    const lastCall = setTimeout(() => {
      sweep = setInterval(() => server.closeIdleConnections(), sweepIntervalMs);
      this.parts.gate.closeUndecided();
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
      ...this.parts.certificates.tlsOf(certificate),
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
    const { certificates, metrics, logger } = this.parts;
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
    void turn.take(response, () => this.parts.answerRequest.answer(request, response));
  }

  /**
   * Handles unreadable requests (malformed, contradictory (smuggling), too large, too slow) and failed TLS handshakes. A connection on which
   * no request began is closed without an answer: browsers open connections ahead, and would read it as the answer to what they ask next.
   */
  private onUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
    const isSilent = error.code === timedOut && socket.bytesRead === 0;
    const unreadable = isSilent ? undefined : unreadableBy(error.code ?? '');
    this.parts.metrics.connectionRefused(isSilent ? 'silent' : reasonOf(error.code, unreadable));
    if (!unreadable || !socket.writable || this.turns.of(socket).isAnswering) return void socket.destroy();
    refuseAndCut(socket, unreadable);
  }
}

const timedOut = 'ERR_HTTP_REQUEST_TIMEOUT';

const unreadables: Record<string, UnreadableRequest> = {
  HPE_HEADER_OVERFLOW: { status: 400, message: 'header fields are larger than allowed' },
  [timedOut]: { status: 408, message: 'the request took too long' },
};

/** What a client is told whose request could not be read; undefined when it does not use TLS. */
function unreadableBy(code: string): UnreadableRequest | undefined {
  return unreadables[code] ?? (code.startsWith('HPE_') ? { status: 400, message: 'request is not valid HTTP' } : undefined);
}

function reasonOf(code: string | undefined, unreadable: UnreadableRequest | undefined): ConnectionRefusal {
  if (code === timedOut) return 'slow';
  return unreadable ? 'malformed' : 'tls';
}
