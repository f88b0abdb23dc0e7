export type TimerKind = 'reversal-scheduler' | 'graphile-worker' | 'pg-boss';

/** A timer of a peer. */
export interface TimerJob {
  transactionId: number;
  /** Wall clock, milliseconds since 1970. */
  dueAtMs: number;
}

export const timerTask = 'timer';
