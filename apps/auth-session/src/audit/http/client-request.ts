import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ClientOrigin } from '../security-event';

/** The gateway sets it; on the public listener, which only the gateway reaches, it can be trusted. */
const clientAddressHeader = 'x-forwarded-for';

/** Where a request of a client came from. */
export const ClientRequest = createParamDecorator((_: unknown, context: ExecutionContext): ClientOrigin => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const forwarded = request.headers[clientAddressHeader];
  // The last entry is the one our own gateway added; those before it are whatever the client claimed (T-26).
  const address = (typeof forwarded === 'string' ? forwarded.split(',').at(-1)?.trim() : undefined) || request.ip;
  return { actor: 'client', address, requestId: String(request.id) };
});
