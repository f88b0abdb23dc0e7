import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Origin } from '../security-event';

/** Who makes an internal call, as `InternalCallersGuard` established it. */
export const InternalOrigin = createParamDecorator((_: unknown, context: ExecutionContext): Origin => {
  const request = context.switchToHttp().getRequest<FastifyRequest & { internalCaller?: string }>();
  return { actor: request.internalCaller ?? 'unknown', address: null, requestId: String(request.id) };
});
