import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { connect } from 'node:net';
import type { Credentials, PlatformConnection } from '@paycode/platform-client';

export interface ExactRequest {
  method?: string;
  /** Goes out exactly as given: no client-side normalisation. */
  path: string;
  /** Field lines, names and values alternating. */
  headers?: string[];
  body?: string;
  tls?: Pick<RequestOptions, 'minVersion' | 'maxVersion' | 'ciphers'>;
}

export interface ExactAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  message: string | undefined;
}

/** The gateway of a running platform as a client that sends exactly what a journey says. */
export class ExactGatewayClient {
  private readonly url: URL;
  private readonly ca: string;

  constructor(platform: PlatformConnection) {
    this.url = new URL(platform.standalone.baseUrl);
    this.ca = readFileSync(platform.standalone.caFile, 'utf8');
  }

  send({ method = 'GET', path, headers = [], body, tls }: ExactRequest): Promise<ExactAnswer> {
    const lines = ['Host', this.url.host, ...headers];
    if (body !== undefined) lines.push('Content-Length', String(Buffer.byteLength(body)));
    const to = { host: this.url.hostname, port: this.url.port, ca: this.ca, agent: false as const, ...tls };
    return new Promise((resolve, reject) => {
      const outgoing = request({ ...to, method, path, headers: lines });
      outgoing.once('error', reject).once('response', response => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, message: messageIn(text) }),
        );
      });
      outgoing.end(body);
    });
  }

  /** Sends bytes without TLS to the TLS port; returns the whole answer. */
  sendInTheClear(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(this.url.port), this.url.hostname, () => socket.write(text));
      let received = '';
      socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
      socket.once('error', reject).once('close', () => resolve(received));
    });
  }
}

export const basic = ({ username, password }: Credentials) => [
  'Authorization',
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
];

function messageIn(text: string): string | undefined {
  return text.startsWith('{') ? (JSON.parse(text) as { message?: string }).message : undefined;
}
