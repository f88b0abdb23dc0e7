import { setTimeout as pause } from 'node:timers/promises';
import { deadlineHeader } from '@paycode/dto';
import { TokenBucket } from '@paycode/service-runtime/timing';
import { Client, type Dispatcher, Pool } from 'undici';
import type { ServiceTokenSigner } from './service-token';

export interface InternalClientOptions {
  /** Internal base URL of the callee, e.g. `http://127.0.0.1:3104`. */
  baseUrl: string;
  /** The callee's service name: audience of the token. */
  audience: string;
  signer: ServiceTokenSigner;
  /** Whole-call limit in milliseconds. */
  timeoutMs?: number;
  /** Most sockets to the callee. */
  socketsMax?: number;
  /**
   * Whether every POST may be repeated: a POST that is lost on a kept connection is then sent once more. Default false; a GET is always
   * repeatable.
   */
  isRepeatable?: boolean;
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  headers: Record<string, string>;
  timeoutMs?: number;
}

/** Reads an answer; rejects with AnsweredError. */
type Read<T> = (answer: Dispatcher.ResponseData) => Promise<T>;

/** An answer of any status. */
export interface WholeAnswer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  text: string;
}

const bodyBytesMax = 16_777_216;
const keepAliveMs = 60_000;
/** So many calls in a hundred may be sent once more, besides one in each half second and a burst. */
const repeatsPerCall = 0.1;
const repeatRefillMs = 500;
/** Spreads the repeats of calls that were lost together, in milliseconds. */
const repeatPauseMsMax = 20;

/** The callee did not give a usable answer. `isDefinite` is false when the call may still have taken effect. */
export class InternalCallError extends Error {
  constructor(
    message: string,
    readonly status: number | null,
    readonly isDefinite: boolean,
    cause: unknown,
  ) {
    super(message, { cause });
    this.name = 'InternalCallError';
  }
}

/** JSON calls to another service's internal listener: keep-alive, bounded time, size and sockets, one service token. */
export class InternalClient {
  private readonly pool: Pool;
  private readonly origin: string;
  private readonly pathPrefix: string;
  private readonly timeoutMs: number;
  private readonly repeats: TokenBucket;

  constructor(private readonly options: InternalClientOptions) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.origin = origin;
    this.pathPrefix = pathname.replace(/\/$/, '');
    this.timeoutMs = options.timeoutMs ?? 5_000;
    const socketsMax = options.socketsMax ?? 16;
    this.pool = new Pool(origin, { ...this.connectionOptions, connections: socketsMax });
    // A replica that stops may lose a call on each connection, and each of them may be repeated (P-T9).
    this.repeats = new TokenBucket(
      { burst: socketsMax, refillMs: repeatRefillMs },
      { tokens: socketsMax, atMs: performance.now() },
    );
  }

  /** POSTs `body`; resolves to the parsed answer. Rejects with InternalCallError. */
  async post<T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
    return this.call<T>({ method: 'POST', path, body: JSON.stringify(body), headers }, readJson);
  }

  async get<T>(path: string, headers: Record<string, string> = {}): Promise<T> {
    return this.call<T>({ method: 'GET', path, headers }, readJson);
  }

  /** For a caller that hands the answer on. Rejects with InternalCallError when there is none in time. */
  async ask(call: Call): Promise<WholeAnswer> {
    return this.call(call, async ({ statusCode: status, headers, body }) => ({ status, headers, text: await body.text() }));
  }

  close(): void {
    // The promise settles when every socket is closed; no caller needs to wait for that.
    void this.pool.destroy();
  }

  private get connectionOptions(): Client.Options {
    return {
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      connect: this.options.signer.mutualTls?.connector({ servername: this.options.audience, timeoutMs: this.timeoutMs }) ?? {
        timeout: this.timeoutMs,
      },
      // undici's timers are coarse; the whole call has its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: bodyBytesMax,
    };
  }

  private async call<T>({ method, path, body, headers, timeoutMs = this.timeoutMs }: Call, read: Read<T>): Promise<T> {
    const authorization = `Bearer ${this.options.signer.tokenFor(this.options.audience)}`;
    const own = { authorization, [deadlineHeader]: String(timeoutMs) };
    const call = { method, path, body, headers: { 'content-type': 'application/json', ...headers, ...own } };
    const overall = new AbortController();
    const timer = setTimeout(() => overall.abort(codeError('TIMEOUT')), timeoutMs);
    const sendOn = (dispatcher: Dispatcher) => this.sendOn(dispatcher, call, overall.signal).then(read);
    try {
      return await this.send(call, sendOn);
    } catch (error) {
      throw callError(`${method} ${this.options.audience} ${path}`, error);
    } finally {
      clearTimeout(timer);
    }
  }

  private async send<T>(call: Call, sendOn: (dispatcher: Dispatcher) => Promise<T>): Promise<T> {
    if (call.body && Buffer.byteLength(call.body) > bodyBytesMax) throw new CallRefusedError('BODY_TOO_LARGE');
    this.repeats.add(repeatsPerCall);
    try {
      return await sendOn(this.pool);
    } catch (error) {
      const isRepeatable = call.method === 'GET' || this.options.isRepeatable === true;
      if (!isRepeatable || !isConnectionLost(error) || this.repeats.take(performance.now()) > 0) throw error;
      await pause(Math.random() * repeatPauseMsMax);
      // A replica that stops closes all kept connections, so another connection of the pool would fail too.
      const fresh = new Client(this.origin, this.connectionOptions);
      return await sendOn(fresh).finally(() => fresh.destroy());
    }
  }

  private sendOn(dispatcher: Dispatcher, { path, ...call }: Call, signal: AbortSignal) {
    return dispatcher.request({ ...call, path: this.pathPrefix + path, signal });
  }
}

async function readJson<T>({ statusCode, body }: Dispatcher.ResponseData): Promise<T> {
  if (statusCode >= 200 && statusCode < 300) return jsonOf<T>(await body.text());
  await body.dump({ limit: bodyBytesMax });
  throw new AnsweredError(statusCode);
}

/** The request was not sent. */
class CallRefusedError extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

class AnsweredError extends Error {
  constructor(readonly status: number) {
    super(`answered ${status}`);
  }
}

function jsonOf<T>(text: string): T {
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch {
    throw codeError('NOT_JSON');
  }
}

function codeError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** The callee closed the connection, as a stopping replica does, while the call was being sent on it. */
function isConnectionLost(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '');
}

/** Keeps status and code only, because other fields of an error may quote the request with its token. */
function callError(call: string, error: unknown): InternalCallError {
  const { code } = error as { code?: string };
  const cause = Object.assign(new Error(code ?? 'call failed'), { code });
  if (error instanceof AnsweredError) return new InternalCallError(`${call} answered ${error.status}`, error.status, true, cause);
  const isUnsent = error instanceof CallRefusedError || code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT';
  return new InternalCallError(`${call} failed: ${code ?? 'no answer'}`, null, isUnsent, cause);
}
