import type { VerdictKind } from '@paycode/dto';
import type { AttemptOutcome } from '../../deliveries/domain/delivery';

const withoutStatus = { TIMEOUT: 'CLOSED_TIMEOUT', CONNECTION: 'CLOSED_CONN', OUR_FAULT: undefined } as const;

/**
 * Verdict of a payment after an attempt. Only the literal status 200 acknowledges (R-1-7, A-08). A fault of the platform gives no
 * verdict: undefined (P-T8).
 */
export function verdictOf(outcome: AttemptOutcome): VerdictKind | undefined {
  if (outcome.kind !== 'STATUS') return withoutStatus[outcome.kind];
  return outcome.status === 200 ? 'ACKED_HTTP' : 'CLOSED_NON200';
}

/** Whether the merchant acknowledged: AckReceived stands in the outbox beside such a verdict. */
export function isAcknowledged(kind: VerdictKind): boolean {
  return kind.startsWith('ACKED_');
}

/** Text of an outcome in timelines and logs: codes only, nothing a receiver wrote. */
export function outcomeText(outcome: AttemptOutcome): string {
  switch (outcome.kind) {
    case 'STATUS':
      return `HTTP ${outcome.status}`;
    case 'TIMEOUT':
      return 'TIMEOUT';
    case 'CONNECTION':
      return `CONNECTION: ${outcome.code}`;
    case 'OUR_FAULT':
      return `OWN FAULT: ${outcome.code}`;
  }
}

/** Class of an outcome as a metric label: bounded in number. */
export function outcomeClass(outcome: AttemptOutcome): string {
  return outcome.kind === 'STATUS' ? (outcome.status === 200 ? 'acknowledged' : 'non_200') : outcome.kind.toLowerCase();
}
