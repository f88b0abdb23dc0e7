import type { FastifyRequest } from 'fastify';
import type { Origin } from '../../audit';

/** Which operator asked on the internal listener, for the audit log: the subject of the token, as `InternalCallersGuard` established it. */
export function operatorOrigin(request: FastifyRequest & { subject?: string }): Origin {
  return { actor: `operator ${request.subject ?? 'unknown'}`, requestId: String(request.id) };
}
