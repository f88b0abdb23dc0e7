import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ClientOrigin } from '../security-event';

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
