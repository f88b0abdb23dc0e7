import type { AuthorizeRequest } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyRequest } from 'fastify';

/** How a proxy passes the original request. Each kind of proxy has its own URL, and only the headers of that kind are trusted. */
export type OriginalRequestForm = 'original' | 'forwarded' | 'path';

const fieldNames = {
  original: { path: 'x-original-uri', method: 'x-original-method' },
  forwarded: { path: 'x-forwarded-uri', method: 'x-forwarded-method' },
} as const;

/**
 * The client's request as a proxy describes it. Each field must be there exactly once: the proxy sets one, so a second line would
 * come from the client.
 * @throws DomainError 400
 */
export function authorizeRequestOf(request: FastifyRequest, form: OriginalRequestForm): AuthorizeRequest {
  const target = form === 'path' ? targetInPath(request) : targetInFields(request, form);
  const forwardedFor = linesOf(request, 'x-forwarded-for').at(-1)?.split(',').at(-1)?.trim();
  return {
    ...target,
    authorization: linesOf(request, 'authorization'),
    address: forwardedFor || request.ip,
    requestId: String(request.id),
  };
}

function targetInFields(request: FastifyRequest, form: 'original' | 'forwarded'): { path: string; method: string } {
  return { path: single(request, fieldNames[form].path), method: single(request, fieldNames[form].method) };
}

/** Envoy repeats the client's method and appends its path: `/internal/authorize/http/path` + `/pluto/code/create?…`. */
function targetInPath(request: FastifyRequest): { path: string; method: string } {
  const prefix = '/internal/authorize/http/path';
  return { path: request.raw.url!.slice(prefix.length), method: request.method };
}

function single(request: FastifyRequest, name: string): string {
  const [value, ...more] = linesOf(request, name);
  if (value !== undefined && more.length === 0) return value;
  throw new DomainError({ status: 400, reason: 'EXTERNAL_AUTHORIZATION', message: `${name} must be set exactly once` });
}

function linesOf(request: FastifyRequest, name: string): string[] {
  const { rawHeaders } = request.raw;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name);
}
