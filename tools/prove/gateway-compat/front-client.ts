import type { IncomingHttpHeaders } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import type { Echo } from './contract-platform';

export interface FrontRequest {
  method?: string;
  /** Goes out exactly as given. */
  path: string;
  /** Field lines, names and values alternating; repeated names go out repeated. */
  headers?: string[];
  body?: string;
  /** Sends the body in chunks, without its length. */
  isChunked?: boolean;
  maxVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** Cipher suites that are offered; default: Node's. */
  ciphers?: string;
  /** Loopback address that the request comes from. */
  localAddress?: string;
}

export interface FrontAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Error body of the platform, without what differs per request. */
  error: { status: number; error: string; message: string; code: string; path: string };
  /** The request as the service behind the front saw it. */
  echo: Echo;
}

/** A client of one front. Every request has the same request id and a connection of its own. */
export class FrontClient {
  constructor(
    private readonly port: number,
    private readonly ca: string,
  ) {}

  send(request: FrontRequest): Promise<FrontAnswer> {
    const { method = 'GET', path, headers = [], body, isChunked = false, maxVersion, ciphers, localAddress } = request;
    const lines = ['Host', `localhost:${this.port}`, 'X-Request-Id', 'contract-1', ...headers];
    if (body !== undefined)
      lines.push(...(isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(Buffer.byteLength(body))]));
    const to = {
      host: '127.0.0.1',
      servername: 'localhost',
      port: this.port,
      ca: this.ca,
      agent: false,
      maxVersion,
      ciphers,
      localAddress,
    } as const;
    return new Promise((resolve, reject) => {
      const outgoing = secureRequest({ ...to, method, path, headers: lines });
      outgoing.once('error', reject);
      outgoing.once('response', response => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.once('error', reject);
        response.once('end', () => resolve(answerOf(response.statusCode ?? 0, response.headers, text)));
      });
      outgoing.end(body);
    });
  }

  /** Plain HTTP on the TLS port; everything that came back. */
  sendPlain(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write(text));
      let received = '';
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
      socket.once('error', reject).once('close', () => resolve(received));
    });
  }
}

function answerOf(status: number, headers: IncomingHttpHeaders, text: string): FrontAnswer {
  const json = headers['content-type']?.startsWith('application/json') ? (JSON.parse(text) as Record<string, never>) : {};
  const { status: bodyStatus, error, message, code, path } = json as FrontAnswer['error'] & Record<string, never>;
  return { status, headers, text, error: { status: bodyStatus, error, message, code, path }, echo: json as unknown as Echo };
}
