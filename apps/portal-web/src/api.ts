import { t, told } from './language/language';
import { forgetEarly, takeEarly } from './early';
import { type Arguments, type Given, linkTo, type Parts, type Route } from './links';
import type { ErrorBody, Routes } from './portal-api';

/** A refusal of the portal, in words for people in their language. */
export class PortalError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly fields: { field: string; message: string }[] = [],
    /** When the same call may be made again. */
    readonly retryAfterS?: number,
  ) {
    super(message);
  }
}

const unreachable = () => t('The portal cannot be reached. Check your connection, then try again.');
const patienceMs = 30_000;

/** Changes on their way: a second press of the same button gets the answer of the first. */
const changes = new Map<string, Promise<unknown>>();

/** Makes a call of the portal. Rejects with PortalError. */
export function call<R extends Route>(route: R, ...[given]: Arguments<R>): Promise<Routes[R]['answer']> {
  if (route.startsWith('GET ')) return send(route, given);
  forgetEarly();
  const key = JSON.stringify([route, given]);
  const sent = (changes.get(key) as Promise<Routes[R]['answer']> | undefined) ?? send(route, given);
  changes.set(key, sent);
  return sent.finally(() => changes.delete(key));
}

async function send<R extends Route>(route: R, given: Given<R> | undefined): Promise<Routes[R]['answer']> {
  const [method] = route.split(' ');
  const url = linkTo(route, ...([given] as Arguments<R>));
  const init = method === 'POST' ? jsonOf((given as Parts | undefined)?.body) : {};
  let response: Response;
  try {
    const early = method === 'GET' ? await takeEarly(url) : undefined;
    response = early ?? (await fetch(url, { method, signal: AbortSignal.timeout(patienceMs), ...init }));
  } catch (cause) {
    throw Object.assign(new PortalError(0, unreachable()), { cause });
  }
  if (!response.ok) throw await errorOf(response);
  return (response.status === 204 ? undefined : await response.json()) as Routes[R]['answer'];
}

const fileMsMax = 300_000;

/** Reads a file as it comes. `onBytes`: how much is there. Rejects with PortalError, also when the connection breaks. */
export async function fileOf(url: string, onBytes: (bytes: number) => void): Promise<{ name: string; blob: Blob }> {
  let bytes = 0;
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, stream) {
      onBytes((bytes += part.length));
      stream.enqueue(part);
    },
  });
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(fileMsMax) });
    if (!response.ok) throw await errorOf(response);
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'payments';
    return { name, blob: await new Response(response.body?.pipeThrough(counting)).blob() };
  } catch (cause) {
    if (cause instanceof PortalError) throw cause;
    throw Object.assign(new PortalError(0, bytes === 0 ? unreachable() : t('The file broke off. Please try again.')), { cause });
  }
}

function jsonOf(body: unknown = {}): RequestInit {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function errorOf(response: Response): Promise<PortalError> {
  const text = await response.text();
  try {
    const { message, errors } = JSON.parse(text) as Partial<ErrorBody>;
    const retryAfterS = Number(response.headers.get('retry-after')) || undefined;
    return new PortalError(response.status, told(sentence(message ?? response.statusText)), errors, retryAfterS);
  } catch {
    return new PortalError(
      response.status,
      t('The portal answered {status}. Please try again in a moment.', { status: response.status }),
    );
  }
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
