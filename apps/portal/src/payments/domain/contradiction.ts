import type { Answer, Outcome } from './payment';

export interface Wanted {
  outcome: Outcome | null;
  status: string | null;
  answer: Answer | null;
}

/** Whether no payment can be all of it, as an outcome follows from status and answer. Looking for it would read every payment of the one or the other. */
export function isContradiction({ outcome, status, answer }: Wanted): boolean {
  if (outcome === null || outcome === 'NO_MONEY') return false;
  if (status !== null && status !== 'SUCCESS') return true;
  return outcome === 'PENDING' && answer !== null;
}
