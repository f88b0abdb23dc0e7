import type { VerdictKind } from '@paycode/dto';
import type { AttemptOutcome, Delivery, Unanswered } from '../../deliveries/domain/delivery';
import { repeatPauseMs } from '../../informational/domain/repeat-schedule';
import { outcomeText, verdictOf } from './verdict-of';

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
