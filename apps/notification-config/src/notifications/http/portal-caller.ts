import type { FastifyRequest } from 'fastify';
import type { NotificationCaller } from '../notification-caller';

/** The portal has decided whose merchant it is; the audit log gets the person's name. */
export function portalCaller({ actor }: { actor: string }, request: FastifyRequest): NotificationCaller {
  return { owner: 'OPERATOR', origin: { actor: `portal ${actor}`, requestId: String(request.id) } };
}
