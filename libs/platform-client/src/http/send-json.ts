import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { CallerTls } from './mutual-tls.ts';

const answerTimeoutMs = 60_000;

export interface JsonRequest {
  url: string;
  method: string;
  headers?: Record<string, string>;
  /** Sent as JSON when given. */
  body?: unknown;
  /** PEM of the certificate authority to trust instead of the system's. */
  ca?: string;
  /** Mutual TLS with a service, for `https:`: the caller's certificate, and the name that the service's certificate must have at any address. */
  mutualTls?: CallerTls & { servername: string };
}

export interface JsonAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Parsed JSON; the text itself when it is none; undefined when empty. */
  body: unknown;
}

/** Sends one HTTP request. Resolves for every status; rejects when there is no answer. */
export function sendJson({ url, method, headers, body, ca, mutualTls }: JsonRequest): Promise<JsonAnswer> {
  const outgoingHeaders = { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const options = { method, headers: outgoingHeaders, agent: false as const, timeout: answerTimeoutMs };
  const tls = mutualTls ? { ...mutualTls, minVersion: 'TLSv1.3' as const } : { ca };
  return new Promise((resolve, reject) => {
    const outgoing = url.startsWith('https:') ? secureRequest(url, { ...options, ...tls }) : request(url, options);
    outgoing.once('response', response => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) }),
      );
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${answerTimeoutMs / 1_000} s`)));
    outgoing.once('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/** A JSON number with exactly these digits: a float would turn 110.10 into 110.1. */
export function exactNumber(digits: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(digits);
}
