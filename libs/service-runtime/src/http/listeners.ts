import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { Server as TcpServer, type Socket } from 'node:net';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type MutualTls, tlsVersionMin } from '../tls';

export type ListenerName = 'internal' | 'public';

const listenerOf = new WeakMap<object, ListenerName>();
/** Connections of a listener that never carried a request: Node does not count them as idle. */
const unusedOf = new WeakMap<Server, Set<Socket>>();
const leaving = new WeakSet<Server>();
const sweepEveryMs = 50;
const limits = {
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 32_768,
  connectionsCheckingInterval: 5_000,
};

/** The listener that received a request. */
export function listenerNameOf(raw: IncomingMessage): ListenerName {
  return listenerOf.get((raw.socket as unknown as { server: object }).server) ?? 'internal';
}

/** One HTTP server in front of the application's router. Slow or endless requests are cut by Node's own timeouts. */
export function createListener(name: ListenerName, app: FastifyInstance, tls?: MutualTls): Server {
  const unused = new Set<Socket>();
  const server = serverOf(tls, (request, response) => {
    unused.delete(request.socket);
    // The answer says `connection: close`.
    if (leaving.has(server)) response.shouldKeepAlive = false;
    app.routing(request, response);
  });
  unusedOf.set(server, unused);
  // Under TLS the requests arrive on the TLS socket inside the connection.
  server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  listenerOf.set(server, name);
  return server;
}

function serverOf(tls: MutualTls | undefined, handle: (request: IncomingMessage, response: ServerResponse) => void): Server {
  if (!tls) return createServer(limits, handle);
  let material = tls.current;
  // A client without certificate may use probes and metrics, so the certificate is required only after the route is known.
  const options = { minVersion: tlsVersionMin, requestCert: true, rejectUnauthorized: false, handshakeTimeout: 10_000 } as const;
  const server = createSecureServer({ ...limits, ...options, ...material }, handle);
  // Before the server's own listener begins the handshake.
  server.prependListener('connection', () => {
    if (tls.current === material) return;
    material = tls.current;
    server.setSecureContext({ ...material, minVersion: tlsVersionMin });
  });
  return server;
}

export function listen(server: Server, address: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...address, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** From now on every answer ends its connection, so that clients with kept connections move to another replica. */
export function leaveConnections(server: Server): void {
  leaving.add(server);
}

/**
 * Stops accepting, and resolves when every connection is closed: used ones after their next answer, the others after `lingerMs`. A client
 * may be sending on a connection that looks idle here, and closing it at once would lose that request.
 */
export async function closeListener(server: Server, lingerMs = 0): Promise<void> {
  if (!server.listening) return;
  leaveConnections(server);
  await acceptWaiting(server);
  const closed = once(server, 'close');
  // An HTTP server's own close() ends idle connections at once.
  TcpServer.prototype.close.call(server);
  let sweep: NodeJS.Timeout | undefined;
  const lingered = setTimeout(() => {
    sweep = setInterval(() => endIdle(server), sweepEveryMs);
    endIdle(server);
  }, lingerMs);
  await closed;
  clearTimeout(lingered);
  clearInterval(sweep);
  // Ends Node's checks of slow requests. It reports that the server does not listen any more, which is expected.
  server.close(() => undefined);
}

function endIdle(server: Server): void {
  server.closeIdleConnections();
  for (const socket of unusedOf.get(server) ?? []) socket.destroy();
}

/** Connections the kernel may hold for a listener until they are accepted. */
export const backlog = 4_096;

/**
 * Accepts the clients that are connected already. The kernel connects clients before the process sees them, Node accepts one per turn of
 * the event loop, and closing a listener resets the waiting ones.
 */
export async function acceptWaiting(server: TcpServer): Promise<void> {
  let quietTurns = 0;
  const onConnection = () => (quietTurns = -1);
  server.on('connection', onConnection);
  // The first turn may have polled before this call.
  for (let turn = 0; quietTurns < 2 && turn < backlog; turn++) {
    await turnOfEventLoop();
    quietTurns += 1;
  }
  server.off('connection', onConnection);
}
