import type { MutualTls } from '@paycode/service-runtime';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import type { UpstreamName } from './domain/route-table';

export interface UpstreamRequest {
  upstream: UpstreamName;
  method: string;
  /** Normalised path plus the query as received. */
  target: string;
  /** Names and values alternating. */
  headers: string[];
  /** null when the request carries none. */
  body: Buffer | null;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
}

export interface UpstreamAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

export class UpstreamUnavailableError extends Error {
  /** Its name in the log, which has a line a minute for each. */
  readonly code: string;

  constructor(upstream: UpstreamName, cause: unknown) {
    super(`${upstream} gave no answer`, { cause });
    this.name = 'UpstreamUnavailableError';
    this.code = upstream;
  }
}

export interface UpstreamSettings {
  /** Public base URL of each service; an origin, without a path. */
  origins: Record<UpstreamName, string>;
  /** The certificate to call https origins with. */
  mutualTls?: MutualTls | undefined;
  timeoutMs: number;
  connectionsMax: number;
}

const connectTimeoutMs = 3_000;
const headerBytesMax = 32_768;
/**
 * How long an unused connection is kept: half of the second for which a stopping replica keeps it (SHUTDOWN_LINGER_MS). A POST that is lost
 * on a closing connection could not be sent again.
 */
const idleMs = 500;
/** Requests waiting for a connection to one service; a slow service must not use up the memory for the others. */
const waitingPerConnectionMax = 4;

/** One keep-alive pool per service: bounded connections, waiting requests, header size and time. Bodies stream through. */
export class UpstreamClient {
  private readonly pools: Record<UpstreamName, Pool>;

  constructor(private readonly settings: UpstreamSettings) {
    const names = Object.keys(settings.origins) as UpstreamName[];
    this.pools = Object.fromEntries(names.map(name => [name, this.poolOf(name)])) as Record<UpstreamName, Pool>;
  }

  /** Resolves when the header of the answer has arrived; the body is streamed. Rejects with UpstreamUnavailableError. */
  async send(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const pool = this.pools[request.upstream];
    if (pool.stats.queued >= this.settings.connectionsMax * waitingPerConnectionMax) {
      throw new UpstreamUnavailableError(request.upstream, new Error('too many requests wait for this service'));
    }
    return this.attempt(pool, request)
      .catch((cause: unknown) => {
        if (request.signal.aborted || !isWorthAnotherTry(request, cause)) throw cause;
        return this.attempt(pool, request);
      })
      .catch((cause: unknown) => {
        throw new UpstreamUnavailableError(request.upstream, cause);
      });
  }

  /** Called by the container when the application closes. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(Object.values(this.pools).map(pool => pool.close()));
  }

  private async attempt(pool: Pool, request: UpstreamRequest): Promise<UpstreamAnswer> {
    const { method, target: path, headers, body, signal } = request;
    const answer = await pool.request({ method, path, headers, body, signal });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  }

  private poolOf(upstream: UpstreamName): Pool {
    const { origins, mutualTls, timeoutMs, connectionsMax } = this.settings;
    const connect = mutualTls?.connector({ timeoutMs: connectTimeoutMs });
    return new Pool(origins[upstream], {
      connections: connectionsMax,
      pipelining: 1,
      ...(connect ? { connect } : { connectTimeout: connectTimeoutMs }),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxHeaderSize: headerBytesMax,
      keepAliveTimeout: idleMs,
      // Upper limit for the value of a service's Keep-Alive field.
      keepAliveMaxTimeout: idleMs,
    });
  }
}

const neverSent = new Set(['ECONNREFUSED']);
const connectionLost = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether to try again: the first try was never sent, or the method only reads, so that the try had no effect (when a replica stops). */
function isWorthAnotherTry({ method }: UpstreamRequest, cause: unknown): boolean {
  const code = String((cause as { code?: unknown }).code);
  return neverSent.has(code) || ((method === 'GET' || method === 'HEAD') && connectionLost.has(code));
}
