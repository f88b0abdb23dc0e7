/** One POST to the receiver, bounded in time and size, the way the platform sends it. Bodies of answers are counted and dropped. */
import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { WebhookRequest } from '../webhook/envelope';

/** The result of a POST. */
export interface Exchange {
  /** The status, or null when none came. */
  status: number | null;
  failure: Failure | null;
  /** Where a redirect leads, without what may be secret in it. */
  location: string | null;
  /** From the last byte of the request to the status line; null without a status. */
  ms: number | null;
  /** The connection had served a request before. */
  isReused: boolean;
  /** The fault of an answer whose status arrived. */
  flaw: 'TOO_LONG' | 'UNFINISHED' | null;
}

export interface EndpointOptions {
  /** How long an answer may take from the last byte of the request. */
  windowMs: number;
  /** Limit of name resolution, TCP and TLS. */
  connectMs: number;
  /** PEM of the authority to trust; the system's unless given. */
  ca?: string;
  /** The receiver demands it of each request. */
  headers?: Readonly<Record<string, string>>;
  /** PEM of a certificate and its key, for a receiver that demands one. */
  client?: string;
}

export type Connections = HttpAgent | HttpsAgent;

const answerBytesMax = 65_536;
const bodyWithinMs = 10_000;
const locationCharsMax = 200;

/** The receiver under test. Every exchange has a connection of its own unless it is given shared ones. */
export class Endpoint {
  private readonly isTls: boolean;

  constructor(
    readonly url: URL,
    readonly options: EndpointOptions,
  ) {
    this.isTls = url.protocol === 'https:';
  }

  /** Connections that are kept alive between exchanges, at most `atOnce`; destroy them in the end. */
  connections(atOnce = 1, keepAlive = true): Connections {
    const options = { keepAlive, maxSockets: atOnce };
    const { ca, client } = this.options;
    return this.isTls
      ? new HttpsAgent({ ...options, ca, cert: client, key: client, minVersion: 'TLSv1.2' })
      : new HttpAgent(options);
  }

  /** Never rejects: what goes wrong is in the result. */
  async post(request: WebhookRequest, shared?: Connections): Promise<Exchange> {
    const agent = shared ?? this.connections();
    try {
      return await new Attempt(this.options).of(this.start(request, agent), request.body);
    } finally {
      if (!shared) agent.destroy();
    }
  }

  private start({ headers, body }: WebhookRequest, agent: Connections): ClientRequest {
    const send = this.isTls ? httpsRequest : httpRequest;
    const sent = { ...this.options.headers, ...headers, 'Content-Length': String(Buffer.byteLength(body)) };
    return send(this.url, { method: 'POST', agent, headers: sent });
  }
}

class Attempt {
  private timer: NodeJS.Timeout | undefined;
  private sentAt: number | undefined;
  private isConnected = false;

  constructor(private readonly options: EndpointOptions) {}

  of(request: ClientRequest, body: string): Promise<Exchange> {
    return new Promise(resolve => {
      const end = (result: Partial<Exchange>): void => {
        clearTimeout(this.timer);
        resolve({ status: null, failure: null, location: null, ms: null, flaw: null, isReused: request.reusedSocket, ...result });
      };
      const giveUp = (failure: Failure) => (): void => {
        end({ failure });
        request.destroy();
      };
      this.limit(this.options.connectMs, giveUp('NOT_CONNECTED'));
      request.once('socket', socket => {
        const connected = (): void => {
          this.isConnected = true;
          this.limit(this.options.windowMs, giveUp('NO_ANSWER'));
        };
        if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
        else connected();
      });
      request.once('finish', () => {
        this.sentAt = performance.now();
        if (this.isConnected) this.limit(this.options.windowMs, giveUp('NO_ANSWER'));
      });
      // Stays: an error of a connection that was given up must not end the program.
      request.on('error', error => end({ failure: failureOf(error, this.isConnected) }));
      request.once('response', response => void this.answered(response).then(end));
      request.end(body);
    });
  }

  private async answered(response: IncomingMessage): Promise<Partial<Exchange>> {
    const now = performance.now();
    const ms = now - (this.sentAt ?? now);
    this.limit(bodyWithinMs, () => response.destroy());
    const location = response.headers.location?.split('?')[0]?.slice(0, locationCharsMax) ?? null;
    return { status: response.statusCode ?? null, location, ms, flaw: await flawOf(response) };
  }

  private limit(ms: number, act: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(act, ms);
  }
}

/** Takes the body of the answer to its end or to the limit. */
function flawOf(response: IncomingMessage): Promise<Exchange['flaw']> {
  return new Promise(resolve => {
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > answerBytesMax) response.destroy();
    });
    // The bytes that were read decide the result.
    response.on('error', () => undefined);
    response.once('close', () => {
      if (bytes > answerBytesMax) resolve('TOO_LONG');
      else resolve(response.complete ? null : 'UNFINISHED');
    });
  });
}

/** Why no status came. */
export type Failure = 'NOT_CONNECTED' | 'TLS' | 'CUT' | 'NO_ANSWER' | 'NOT_HTTP';

const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EACCES']);

export function failureOf(error: Error & { code?: string }, isConnected: boolean): Failure {
  const code = error.code ?? '';
  if (code.startsWith('HPE_')) return 'NOT_HTTP';
  if (isConnected) return 'CUT';
  return neverConnected.has(code) ? 'NOT_CONNECTED' : 'TLS';
}

const sentences: Record<Failure, string> = {
  NOT_CONNECTED: 'no connection could be made',
  TLS: 'TLS could not be agreed on',
  CUT: 'the connection was cut without an answer',
  NO_ANSWER: 'no answer came in time',
  NOT_HTTP: 'what came is not HTTP/1.1',
};

export function sentenceOf(failure: Failure): string {
  return sentences[failure];
}
