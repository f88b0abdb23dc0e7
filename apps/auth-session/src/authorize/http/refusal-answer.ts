import type { AuthorizeAnswer } from '@paycode/dto';
import { type DomainError, errorBody } from '@paycode/service-runtime';

type Denied = Extract<AuthorizeAnswer, { allowed: false }>;

const deniedStatuses: readonly number[] = [401, 403, 404, 429] satisfies Denied['status'][];

/** Whether an error is an answer for the client; any other error is a fault of the platform and is thrown on. */
export function isDenial(error: DomainError): error is DomainError & { status: Denied['status'] } {
  return deniedStatuses.includes(error.status);
}

/** Status, headers and body for the client, with the same bytes as on auth-session's own public paths. */
export function denialOf(
  error: DomainError & { status: Denied['status'] },
  request: { path: string; requestId: string },
): Denied {
  const { status, message } = error;
  const body = JSON.stringify(errorBody({ url: request.path, id: request.requestId }, { status, message }));
  const headers = { ...error.headers, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { allowed: false, status, headers, body };
}
