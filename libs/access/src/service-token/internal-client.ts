import { Agent } from 'node:http';
import axios, { type AxiosInstance } from 'axios';
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
  /** Every POST may be repeated without harm: one that is lost on a kept connection is sent once more. Default false; a GET always is. */
  isRepeatable?: boolean;
}

interface Call {
  method: 'get' | 'post';
  url: string;
  data?: string;
  headers: Record<string, string>;
  /** Default: a kept connection, or a new one that will be kept. */
  httpAgent?: Agent;
}

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
  private readonly http: AxiosInstance;
  private readonly agent: Agent;
  private readonly freshConnections: Agent;

  constructor(private readonly options: InternalClientOptions) {
    const maxSockets = options.socketsMax ?? 16;
    this.agent = new Agent({ keepAlive: true, maxSockets, scheduling: 'lifo' });
    this.freshConnections = new Agent({ keepAlive: false, maxSockets });
    this.http = axios.create({
      baseURL: options.baseUrl,
      httpAgent: this.agent,
      timeout: options.timeoutMs ?? 5_000,
      maxContentLength: 16_777_216,
      maxBodyLength: 16_777_216,
      maxRedirects: 0,
      proxy: false,
      headers: { 'content-type': 'application/json' },
    });
  }

  /** POSTs `body`; resolves to the parsed answer. Rejects with InternalCallError. */
  async post<T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
    return this.call<T>({ method: 'post', url: path, data: JSON.stringify(body), headers });
  }

  async get<T>(path: string, headers: Record<string, string> = {}): Promise<T> {
    return this.call<T>({ method: 'get', url: path, headers });
  }

  close(): void {
    this.agent.destroy();
    this.freshConnections.destroy();
  }

  private async call<T>(call: Call): Promise<T> {
    const authorization = `Bearer ${this.options.signer.tokenFor(this.options.audience)}`;
    try {
      return await this.send<T>({ ...call, headers: { ...call.headers, authorization } });
    } catch (error) {
      throw callError(`${call.method} ${this.options.audience} ${call.url}`, error);
    }
  }

  private async send<T>(call: Call): Promise<T> {
    try {
      return (await this.http.request<T>(call)).data;
    } catch (error) {
      const isRepeatable = call.method === 'get' || this.options.isRepeatable === true;
      if (!isRepeatable || !isStaleSocket(error)) throw error;
      // A replica that goes away closes all it kept: the next one of the pool would be no better.
      return (await this.http.request<T>({ ...call, httpAgent: this.freshConnections })).data;
    }
  }
}

/** The callee closed a kept connection, as a replica does that goes away, just when the call was sent on it. */
function isStaleSocket(error: unknown): boolean {
  const { request, response, code } = error as { request?: { reusedSocket?: boolean }; response?: unknown; code?: string };
  return response === undefined && request?.reusedSocket === true && (code === 'ECONNRESET' || code === 'EPIPE');
}

/** Keeps status and code only: an axios error carries the request, token included. */
function callError(call: string, error: unknown): InternalCallError {
  const { response, code } = error as { response?: { status: number }; code?: string };
  const cause = Object.assign(new Error(code ?? 'call failed'), { code });
  if (response) return new InternalCallError(`${call} answered ${response.status}`, response.status, true, cause);
  return new InternalCallError(`${call} failed: ${code ?? 'no answer'}`, null, code === 'ECONNREFUSED', cause);
}
