import type { PortalAnswer } from '@paycode/dto';
import { DomainError } from '../domain-error';

/** A refusal of the domain becomes an answer that the portal shows; faults stay faults. */
export async function answered<T>(work: () => Promise<T>): Promise<PortalAnswer<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof DomainError) || error.status >= 500) throw error;
    const { status, reason, message, headers, errors } = error;
    const retryAfterS = Number(headers['retry-after'] ?? Number.NaN);
    const more = { ...(Number.isFinite(retryAfterS) && { retryAfterS }), ...(errors && { errors }) };
    return { ok: false, status, reason, message, ...more };
  }
}
