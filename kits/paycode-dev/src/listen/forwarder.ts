import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** A request to the sandbox's URL, as it came there. */
export interface Heard {
  id: string;
  /** Names and values alternating. */
  headers: string[];
  body: Buffer;
}

/** Shorter than the platform's 45 seconds, so that the sentence about it is ours. */
const windowMs = 44_000;
const badGateway = 502;
const gatewayTimeout = 504;
/** Of one connection, or of the one to the sandbox. */
const notForwarded = new Set(['connection', 'content-length', 'expect', 'host', 'keep-alive', 'transfer-encoding', 'upgrade']);

/** The first value of a header; `name` in small letters. */
export function headerOf({ headers }: Heard, name: string): string | undefined {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? undefined : headers[at + 1];
}

/** The status of the server at `url`; 502 when it cannot be reached, 504 when it does not answer in time. Never rejects. */
export function forwarded(url: URL, { headers, body }: Heard): Promise<number> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise(resolve => {
    const signal = AbortSignal.timeout(windowMs);
    const outgoing = send(url, { method: 'POST', headers: headersOf(headers, body), signal, agent: false }, response => {
      // The platform reads the status alone.
      response.on('error', () => undefined);
      response.resume();
      resolve(response.statusCode ?? badGateway);
    });
    outgoing.on('error', () => resolve(signal.aborted ? gatewayTimeout : badGateway));
    outgoing.end(body);
  });
}

function headersOf(headers: readonly string[], body: Buffer): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = { 'Content-Length': String(body.length) };
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!];
    if (!notForwarded.has(name.toLowerCase())) all[name] = all[name] === undefined ? value : [all[name], value].flat();
  }
  return all;
}
