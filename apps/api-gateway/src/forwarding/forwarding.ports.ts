import type { Readable } from 'node:stream';
import type { AuthorizeAnswer, AuthorizeRequest } from '@paycode/dto';
import type { UpstreamName } from './domain/route-table';

/** Asks auth-session for its decision on a request. */
export abstract class Authorizer {
  /** Rejects with AuthorizerUnavailableError when there is no usable answer: the request must then be refused. */
  abstract authorize(request: AuthorizeRequest): Promise<AuthorizeAnswer>;
}

export class AuthorizerUnavailableError extends Error {
  constructor(cause: unknown) {
    super('auth-session gave no usable answer', { cause });
    this.name = 'AuthorizerUnavailableError';
  }
}

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

/** The services behind the gateway. */
export abstract class Upstreams {
  /** Resolves when the header of the answer has arrived; the body is streamed. Rejects with UpstreamUnavailableError. */
  abstract send(request: UpstreamRequest): Promise<UpstreamAnswer>;
}

export class UpstreamUnavailableError extends Error {
  constructor(upstream: UpstreamName, cause: unknown) {
    super(`${upstream} gave no answer`, { cause });
    this.name = 'UpstreamUnavailableError';
  }
}
