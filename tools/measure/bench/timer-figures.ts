export type TimerKind = 'reversal-scheduler' | 'graphile-worker' | 'pg-boss';

/** A timer of a peer. */
export interface TimerJob {
  transactionId: number;
  /** Wall clock, milliseconds since 1970. */
  dueAtMs: number;
}

export const timerTask = 'timer';

export interface TimersScale {
  rounds: number;
  /** Jobs of one arming round. */
  armed: number;
  /** Jobs that wait in the tables meanwhile. */
  fewPending: number;
  manyPending: number;
  perSecond: number;
  seconds: number;
}

/** Milliseconds from due to decided; peers: from due to begun. */
interface Lateness {
  pending: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export interface TimerFigures {
  /** Rows per second, round by round. */
  armed: Record<TimerKind, number[]>;
  lateness: Record<TimerKind, Lateness[]>;
  restart: { readyMs: number; caughtUpMs: number; overdue: number };
  deviations: string[];
}
