import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Origin } from '../security-event';

interface InternalRequest {
  id: unknown;
  internalCaller?: string;
  /** The operator, if the token names one. */
  subject?: string;
}

/** Who makes an internal call, as `InternalCallersGuard` established it. */
export const InternalOrigin = createParamDecorator((_: unknown, context: ExecutionContext): Origin =>
  internalOriginOf(context.switchToHttp().getRequest<InternalRequest>()),
);

export function internalOriginOf({ id, internalCaller = 'unknown', subject }: InternalRequest): Origin {
  const actor = subject === undefined ? internalCaller : `${internalCaller} ${subject}`;
  return { actor, address: null, requestId: String(id) };
}
