/** Merchants' receivers in a process of their own: TLS, keep-alive, one port per endpoint. Notes what arrives and when. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { monotonicMs, serveCalls } from './child-processes.ts';

export interface ReceiverOptions {
  certFile: string;
  keyFile: string;
  /** Endpoints that answer at once. */
  healthy: number;
  /** Endpoints that read the request and never answer. */
  hanging: number;
  /** A path that never answers, also at endpoints that otherwise do. Default: none. */
  silentPath?: string;
}

export interface ReceiverPorts {
  healthy: number[];
  hanging: number[];
}

/** The requests that arrived since the last `reset`. */
export interface Arrivals {
  transactionIds: Float64Array;
  /** Monotonic clock, request header read. */
  atMs: Float64Array;
  connections: number;
}

let ids: number[] = [];
let times: number[] = [];
let connections = 0;
let hangingNow = 0;
let silentPath: string | undefined;

const serve = (request: IncomingMessage, response: ServerResponse): void => {
  if (request.url === silentPath) return hang(request);
  ids.push(Number(request.headers['x-webhook-transaction-id']));
  times.push(monotonicMs());
  request.resume().once('end', () => response.writeHead(200, { 'content-length': 2 }).end('OK'));
};

const hang = (request: IncomingMessage): void => {
  hangingNow++;
  // The request itself closes as soon as it is read.
  request.resume().socket.once('close', () => hangingNow--);
};

async function open(
  options: ReceiverOptions,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<number> {
  const tls = { cert: readFileSync(options.certFile), key: readFileSync(options.keyFile) };
  const server: Server = createServer({ ...tls, keepAliveTimeout: 120_000, requestTimeout: 0 }, listener);
  server.on('secureConnection', () => connections++);
  await new Promise<void>(resolve => server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, resolve));
  return (server.address() as AddressInfo).port;
}

serveCalls({
  open: async (options: ReceiverOptions): Promise<ReceiverPorts> => {
    silentPath = options.silentPath;
    return {
      healthy: await Promise.all(Array.from({ length: options.healthy }, () => open(options, serve))),
      hanging: await Promise.all(Array.from({ length: options.hanging }, () => open(options, hang))),
    };
  },
  count: () => ids.length,
  hanging: () => hangingNow,
  reset: () => {
    ids = [];
    times = [];
    connections = 0;
  },
  arrivals: (): Arrivals => ({ transactionIds: Float64Array.from(ids), atMs: Float64Array.from(times), connections }),
});
