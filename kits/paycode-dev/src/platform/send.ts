import { request as httpsRequest } from 'node:https';
import { CommandError, exitCodes } from '../command-error';
import { agentFor } from './proxy';

/** Where a platform is, and whom to trust there. */
export interface PlatformAddress {
  /** Origin, e.g. `https://localhost:8443`. */
  url: string;
  /** PEM of the authority to trust instead of the system's. */
  ca: string | null;
}

export interface Call {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** JSON. */
  body?: string;
  authorization?: string;
}

export interface Answer {
  status: number;
  /** The body as it came: numbers keep their digits. */
  text: string;
}

const timeoutMs = 30_000;
const answerBytesMax = 1_048_576;

/** One request to the gateway. @throws CommandError (unreachable) */
export function send(address: PlatformAddress, call: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error & { code?: string }): void => reject(unreachable(address, cause));
    const outgoing = httpsRequest(address.url + call.path, optionsOf(address, call), response => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > answerBytesMax) outgoing.destroy(new Error(`the answer is longer than ${answerBytesMax} bytes`));
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
      response.on('error', fail);
    });
    outgoing.on('error', fail).end(call.body);
  });
}

/** Headers and trust of a request to the gateway. */
export function optionsOf({ url, ca }: PlatformAddress, { method, body, authorization }: Call) {
  const headers = {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
  return { method, headers, agent: agentFor(url), ...(ca === null ? {} : { ca }), signal: AbortSignal.timeout(timeoutMs) };
}

function unreachable({ url }: PlatformAddress, cause: Error & { code?: string }): CommandError {
  const isTrust = /CERT|SELF_SIGNED|ISSUER|VERIFY/.test(cause.code ?? '');
  const advice = isTrust ? ': its certificate is not trusted; give its authority with --ca <file>' : '';
  return new CommandError(`${url} cannot be reached (${cause.code ?? cause.message})${advice}`, exitCodes.unreachable, { cause });
}

/** The answer of a call that must succeed. @throws CommandError with the platform's own words */
export function accepted(what: string, { status, text }: Answer): string {
  if (status >= 200 && status <= 299) return text;
  const { code, message, errors } = errorIn(text);
  const fields = (errors ?? [])
    .map(({ message: words }) => words)
    .filter(words => words !== undefined && !message?.includes(words));
  const words = [message ?? 'without a message', ...fields].join('; ');
  const exitCode = status === 401 ? exitCodes.notLoggedIn : exitCodes.bad;
  throw new CommandError(`${what}: the platform answered ${status}${code === undefined ? '' : ` ${code}`}: ${words}`, exitCode);
}

interface ErrorBody {
  code?: string;
  message?: string;
  errors?: { message?: string }[];
}

/** The platform's error body; empty for a page of something in between. */
export function errorIn(text: string): ErrorBody {
  try {
    const body = JSON.parse(text) as ErrorBody | null;
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {}; // no JSON: the status says enough
  }
}
