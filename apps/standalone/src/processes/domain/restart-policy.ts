/** At most so many restarts of one service within `windowMs`; after one more end it is given up. */
export const restartsMax = 5;
const windowMs = 60_000;
const firstPauseMs = 50;
const pauseMsMax = 5_000;

export type RestartDecision = { restart: true; afterMs: number } | { restart: false; reason: string };

/**
 * Decides after a service ended by itself. The first restart follows almost at once, because a payment may be waiting within its 45 s;
 * later ones back off. `endedAtMs` are the earlier ends on a monotonic clock; only recent ones count.
 */
export function decideRestart(endedAtMs: readonly number[], nowMs: number): RestartDecision {
  const recent = endedAtMs.filter(at => nowMs - at < windowMs).length;
  if (recent >= restartsMax) return { restart: false, reason: `it ended ${recent + 1} times within ${windowMs / 1_000} s` };
  return { restart: true, afterMs: Math.min(firstPauseMs * 3 ** recent, pauseMsMax) };
}
