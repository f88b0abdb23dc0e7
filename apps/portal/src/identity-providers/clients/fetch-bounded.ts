import type { FetchBody } from 'openid-client';
import { isProtected } from '../domain/identity-provider';

const answerBytesMax = 256 * 1024;

interface Init {
  body?: FetchBody;
  headers: Record<string, string>;
  method: string;
  signal?: AbortSignal | undefined;
}

/**
 * Follows no redirect, and reads no more than configurations, keys and tokens take. What a provider names is asked by TLS, also where
 * its issuer is on the developer's own machine and has none: its configuration may name anybody. Rejects else.
 */
export async function fetchBounded(url: string, { body, headers, method, signal }: Init): Promise<Response> {
  if (!isProtected(new URL(url))) throw new TypeError('the provider names an endpoint without TLS');
  const response = await fetch(url, { body: body ?? null, headers, method, signal: signal ?? null, redirect: 'manual' });
  const parts: Uint8Array[] = [];
  let size = 0;
  const arriving = (response.body ?? []) as AsyncIterable<Uint8Array> | [];
  for await (const part of arriving) {
    size += part.length;
    if (size > answerBytesMax) throw new RangeError(`the provider answered more than ${answerBytesMax} bytes`);
    parts.push(part);
  }
  const { status, statusText } = response;
  const read = new Response(parts.length === 0 ? null : Buffer.concat(parts), { status, statusText, headers: response.headers });
  Object.defineProperty(read, 'url', { value: response.url });
  return read;
}
