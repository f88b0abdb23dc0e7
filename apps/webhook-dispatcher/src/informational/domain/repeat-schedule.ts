const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** Pauses before the repeats of an informational delivery: 30 s, 2 min, 10 min (decision "Redelivery"). */
const pausesMs = [30 * secondMs, 2 * minuteMs, 10 * minuteMs];

/** Pause before the attempt after `attempt` (1-based); null when there is none. */
export function repeatPauseMs(attempt: number): number | null {
  return pausesMs[attempt - 1] ?? null;
}
