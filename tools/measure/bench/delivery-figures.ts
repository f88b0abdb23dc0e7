import type { Burst, Steady } from './delivery-rounds.ts';
import type { Stored } from './platform-under-test.ts';

export interface DeliverScale {
  rounds: number;
  /** Payments before anything is counted. */
  warmUp: number;
  /** Payments of a burst. */
  burst: number;
  steadySeconds: number;
}

/** Statements and row inserts per settled payment. */
export interface PerPayment {
  statements: number;
  rowsInserted: number;
  logStatements: number;
  logRowsInserted: number;
}

export interface FloorRound {
  perSecond: number;
  cpuUs: number;
}

export interface DeliveryFigures {
  bursts: Map<string, Burst[]>;
  floor: FloorRound[];
  steadies: Map<string, Steady>;
  /** Everything at once, and at half the knee. */
  perPayment: { burst: PerPayment; steady: PerPayment };
  stored: Stored;
}
