import type { FastifyRequest } from 'fastify';
import type { Origin } from '../../audit';

/** The operator who made an internal call, for the audit log: the subject of the token that `InternalCallersGuard` verified. */
export function operatorOrigin(request: FastifyRequest & { subject?: string }): Origin {
  return { actor: `operator ${request.subject ?? 'unknown'}`, requestId: String(request.id) };
}
