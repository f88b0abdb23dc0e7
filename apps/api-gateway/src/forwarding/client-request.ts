import type { Readable } from 'node:stream';
import type { RawHeaders } from './domain/header-lines';

/** One request as the public listener passes it to the use case. */
export interface ClientRequest {
  id: string;
  /** HTTP version, e.g. `1.1`. */
  version: string;
  method: string;
  /** Request target exactly as received. */
  target: string;
  headers: RawHeaders;
  /** Bytes of body the client announced; undefined when it sends chunks; 0 without a body. */
  announcedBytes: number | undefined;
  /** Address of the client: that of the peer, or the one that a trusted proxy names. */
  address: string;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
  /** Reads the whole body. Rejects with BodyTooLargeError beyond `bytesMax`, BodyTooSlowError, or ClientGoneError when the client has disconnected. */
  readBody(bytesMax: number): Promise<Buffer>;
}

/** The answer to the client. The listener adds its own fields (request id, HSTS). */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | Readable;
  /** Subject of the caller's identity, which its streams are counted for; undefined on open paths. */
  account?: string | undefined;
  /** Name of the service that answered or refused, for the access log and metrics. */
  route: string;
}

export class BodyTooLargeError extends Error {}

/** The body came too slowly, or was the slowest when too many were incomplete. */
export class BodyTooSlowError extends Error {}

export class ClientGoneError extends Error {}
