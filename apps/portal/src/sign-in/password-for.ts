import { invalidField } from '@paycode/service-runtime';
import type { OpenedSession } from '../sessions/sessions.ports';

/** What a new second factor takes: the own password; null in a session that this very password began, to set one up. @throws DomainError 400 */
export function passwordFor({ stage }: OpenedSession['session'], current: string | undefined): string | null {
  if (stage === 'ENROL_DUE') return null;
  if (current === undefined) throw invalidField('current', 'must be your password');
  return current;
}
