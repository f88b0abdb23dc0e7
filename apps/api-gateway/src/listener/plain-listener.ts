import { errorBody } from '@paycode/service-runtime';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import type { GatewayMetrics } from '../gateway-metrics';

const connectionsMax = 200;

/** An optional extra port for plain HTTP that refuses every request without reading it (R-1-9): no redirect, no effect (T-26). */
export class PlainListener {
  private server: Server | undefined;

  constructor(
    private readonly settings: { host: string; port: number | null },
    private readonly metrics: GatewayMetrics,
  ) {}

  get port(): number {
    return (this.server?.address() as AddressInfo | null)?.port ?? 0;
  }

  async open(): Promise<void> {
    const { host, port } = this.settings;
    if (port === null) return;
    const server = createServer(socket => {
      this.metrics.connectionRefused('plain-http');
      refuseConnection(socket, 'HTTPS is required');
    });
    server.maxConnections = connectionsMax;
    server.listen({ host, port });
    await once(server, 'listening');
    this.server = server;
  }

  async close(): Promise<void> {
    if (!this.server?.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }
}

const lingerMs = 2_000;
const lingerBytesMax = 1_048_576;

/** Why a request could not be read: 400 where it is not valid, 408 where it took too long. */
export interface UnreadableRequest {
  status: 400 | 408;
  message: string;
}

/** Answers on a connection whose request cannot be read, and closes it, so that later bytes are never read as a request. */
export function refuseAndCut(socket: Duplex, unreadable: UnreadableRequest): void {
  socket.on('error', () => socket.destroy());
  socket.end(rawAnswer(unreadable), () => socket.destroy());
}

/**
 * Answers 400 on a connection that has no HTTP response object (not TLS, not HTTP) and closes it. It reads and drops further bytes
 * for a short, bounded time: closing with unread bytes would reset the connection, and the client would not get the answer.
 */
export function refuseConnection(socket: Duplex, message: string): void {
  socket.on('error', () => socket.destroy());
  socket.end(rawAnswer({ status: 400, message }));
  drainThenDestroy(socket);
}

function rawAnswer({ status, message }: UnreadableRequest): string {
  const id = randomUUID();
  const body = JSON.stringify(errorBody({ url: '', id }, { status, message }));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    `X-Request-Id: ${id}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function drainThenDestroy(socket: Duplex): void {
  let bytes = 0;
  const deadline = setTimeout(() => socket.destroy(), lingerMs);
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > lingerBytesMax) socket.destroy();
  });
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(deadline));
  socket.resume();
}
