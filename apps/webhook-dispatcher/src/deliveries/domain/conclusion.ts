import type { VerdictKind } from '@paycode/dto';
import type { AttemptOutcome, Delivery, Unanswered } from './delivery';

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

/** A verdict without its delivery. */
export interface Conclusion {
  kind: VerdictKind;
  attempt: number | null;
  outcome: string | null;
  elapsedMs: number | null;
  /** Pause before an informational delivery is tried again; null: it is not. */
  retryAfterMs: number | null;
  unanswered?: Unanswered | undefined;
}

/** The effect of an attempt on its delivery; undefined after a fault of the platform, which decides nothing (P-T8). */
export function conclusionOf(
  delivery: Pick<Delivery, 'isReversible' | 'attempt'>,
  outcome: AttemptOutcome,
): Conclusion | undefined {
  const kind = verdictOf(outcome);
  if (!kind) return undefined;
  const elapsedMs = 'elapsedMs' in outcome ? outcome.elapsedMs : null;
  const sentAgain = outcome.unanswered && { unanswered: outcome.unanswered };
  const shown = { attempt: delivery.attempt, outcome: outcomeText(outcome), elapsedMs, ...sentAgain };
  if (delivery.isReversible) return { ...shown, kind, retryAfterMs: null };
  // An informational delivery moves no money: there is nothing to acknowledge or to reverse (P-I13), only to try again.
  return { ...shown, kind: 'NOT_APPLICABLE', retryAfterMs: kind === 'ACKED_HTTP' ? null : repeatPauseMs(delivery.attempt) };
}

/** A verdict without a request. */
export function conclusionWithout(
  kind: 'NOT_APPLICABLE' | 'CLOSED_EXHAUSTED' | 'CLOSED_BACKSTOP',
  outcome: string | null,
): Conclusion {
  return { kind, attempt: null, outcome, elapsedMs: null, retryAfterMs: null };
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** Pauses before the repeats of an informational delivery: 30 s, 2 min, 10 min (decision "Redelivery"). */
const pausesMs = [30 * secondMs, 2 * minuteMs, 10 * minuteMs];

/** Pause before the attempt after `attempt` (1-based); null when there is none. */
export function repeatPauseMs(attempt: number): number | null {
  return pausesMs[attempt - 1] ?? null;
}
