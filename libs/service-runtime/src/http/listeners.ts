import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

export type ListenerName = 'internal' | 'public';

const listenerOf = new WeakMap<object, ListenerName>();
const internalPrefix = /^\/(internal|health|metrics)(\/|\?|$)/;

/** Which listener a request came in by. */
export function listenerNameOf(raw: IncomingMessage): ListenerName {
  return listenerOf.get((raw.socket as unknown as { server: object }).server) ?? 'internal';
}

/** True when the path belongs to that listener: /internal, /health and /metrics never answer on the public one (T-27). */
export function isServedBy(listener: ListenerName, url: string): boolean {
  return internalPrefix.test(url) === (listener === 'internal');
}

/** One HTTP server in front of the application's router. Slow or endless requests are cut by Node's own timeouts. */
export function createListener(name: ListenerName, app: FastifyInstance): Server {
  const server = createServer(
    {
      requestTimeout: 15_000,
      headersTimeout: 10_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 32_768,
      connectionsCheckingInterval: 5_000,
    },
    (request: IncomingMessage, response: ServerResponse) => app.routing(request, response),
  );
  listenerOf.set(server, name);
  return server;
}

export function listen(server: Server, address: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...address, backlog: 4_096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Stops accepting, lets running requests end, drops idle keep-alive connections; resolves when all are gone. */
export function closeListener(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise(resolve => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
