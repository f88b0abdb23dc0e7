import type { Stage } from './stage.ts';
import type { Expectation } from './verdict.ts';

/** One fault, and what it must raise. */
export interface Play {
  name: string;
  /** The fault in words, for people. */
  what: string;
  expected: Expectation;
  /** Alerts whose `for:` is longer than the play; they must be pending at its end. */
  pending?: readonly string[];
  /** Minutes for which the fault stays. */
  heldMin: number;
  /** PromQL that has a value only while the fault is there: an alert that does not fire proves nothing without it. */
  seen: string;
  /** PromQL that must have no value while the fault is there. */
  never?: string;
  /** Payments in a second in the calm before; default 1. */
  paymentsPerS?: number;
  /** Prepares what the platform needs beside it; gives its settings. */
  prepare?(): Promise<Surroundings>;
  /** Runs in the calm, before anything is measured. */
  ready?(stage: Stage): Promise<void>;
  /** Begins the fault. */
  begin(stage: Stage): Promise<void> | void;
}

export interface Surroundings {
  settings: Record<string, string>;
  /** Called by `begin` of the play, when its fault lies there. */
  fail(): void;
  close(): Promise<void>;
}
