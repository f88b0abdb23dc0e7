import type { PortalAnswer } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyRequest } from 'fastify';
import type { NotificationCaller } from '../notification-caller';

/** A refusal of the domain becomes an answer that the portal shows; faults stay faults. */
export async function answered<T>(work: () => Promise<T>): Promise<PortalAnswer<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof DomainError) || error.status >= 500) throw error;
    const { status, reason, message, headers } = error;
    const retryAfterS = Number(headers['retry-after'] ?? Number.NaN);
    return { ok: false, status, reason, message, ...(Number.isFinite(retryAfterS) ? { retryAfterS } : {}) };
  }
}

/** The portal has decided whose merchant it is; the audit log gets the person's name. */
export function portalCaller({ actor }: { actor: string }, request: FastifyRequest): NotificationCaller {
  return { owner: 'OPERATOR', origin: { actor: `portal ${actor}`, requestId: String(request.id) } };
}
