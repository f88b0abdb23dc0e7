import type { FastifyRequest } from 'fastify';
import type { Origin } from '../../audit';

/** Who asked on the internal listener, for the audit log. */
export function operatorOrigin(request: FastifyRequest): Origin {
  return { actor: 'operator', requestId: String(request.id) };
}
