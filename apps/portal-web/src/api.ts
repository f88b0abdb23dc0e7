/** A refusal of the portal, in words for people. */
export class PortalError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly fields: { field: string; message: string }[] = [],
  ) {
    super(message);
  }
}

const unreachable = 'The portal cannot be reached. Check your connection, then try again.';
const patienceMs = 30_000;

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = {
    method,
    headers,
    signal: AbortSignal.timeout(patienceMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  let response: Response;
  try {
    response = await fetch(`/console/api/${path}`, init);
  } catch (cause) {
    throw Object.assign(new PortalError(0, unreachable), { cause });
  }
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
  throw await errorOf(response);
}

async function errorOf(response: Response): Promise<PortalError> {
  const text = await response.text();
  try {
    const { message, errors } = JSON.parse(text) as { message?: string; errors?: { field: string; message: string }[] };
    return new PortalError(response.status, sentence(message ?? response.statusText), errors);
  } catch {
    return new PortalError(response.status, `The portal answered ${response.status}. Please try again in a moment.`);
  }
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** Calls of the portal. Reject with PortalError. */
export const api = {
  get: <T>(path: string) => call<T>('GET', path),
  post: <T = void>(path: string, body: unknown = {}) => call<T>('POST', path, body),
  delete: (path: string) => call<void>('DELETE', path),
};
