import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Identity } from '@paycode/dto';
import type { FastifyRequest } from 'fastify';
import type { NotificationCaller } from '../notification-caller';

/** The caller of a route behind NotificationCallersGuard. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): NotificationCaller => {
  const request = context.switchToHttp().getRequest<FastifyRequest & { identity: Identity }>();
  const { subject, accountType, ownerId, acquirer } = request.identity;
  const owner = accountType === 'PSP' ? { pspId: ownerId! } : { acquirer: acquirer! };
  return { owner, origin: { actor: subject, requestId: String(request.id) } };
});
