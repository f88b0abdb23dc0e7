import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ActingPerson } from '@paycode/access';
import type { FastifyRequest } from 'fastify';
import type { ClientOrigin, Origin } from './security-log';

/** The gateway sets it. Only the gateway reaches the public listener, so the value can be trusted there. */
const clientAddressHeader = 'x-forwarded-for';

/** Where a request of a client came from. */
export const ClientRequest = createParamDecorator((_: unknown, context: ExecutionContext): ClientOrigin => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const forwarded = request.headers[clientAddressHeader];
  // The gateway added the last entry; the client may have forged those before it (T-26).
  const address = (typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined) || request.ip;
  return { actor: 'client', address, requestId: String(request.id) };
});

interface InternalRequest {
  id: unknown;
  internalCaller?: string;
  /** The operator, if the token names one. */
  subject?: string;
  /** For whom the portal calls. */
  person?: ActingPerson;
}

/** The caller of an internal route, as `InternalCallersGuard` authenticated it. */
export const InternalOrigin = createParamDecorator((_: unknown, context: ExecutionContext): Origin =>
  internalOriginOf(context.switchToHttp().getRequest<InternalRequest>()),
);

export function internalOriginOf({ id, internalCaller = 'unknown', subject, person }: InternalRequest): Origin {
  const name = subject ?? person?.actor;
  const actor = name === undefined ? internalCaller : `${internalCaller} ${name}`;
  return { actor, address: null, requestId: String(id) };
}
