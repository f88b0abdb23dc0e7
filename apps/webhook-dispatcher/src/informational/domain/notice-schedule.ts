const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** Pauses before the repeats of a notice that moves no money: 30 s, 2 min, 10 min (decision "Redelivery"). */
const pausesMs = [30 * secondMs, 2 * minuteMs, 10 * minuteMs];

/** Pause before the attempt after `attempt` (1-based); null when there is none. */
export function noticePauseMs(attempt: number): number | null {
  return pausesMs[attempt - 1] ?? null;
}
