/** The cost of a payment to a process, in microseconds of processor time: a part of its own, and its share of the cost of a batch. */
export interface BatchedCost {
  paymentUs: number;
  /** For all batches of a payment together, whatever their size. */
  batchUs: number;
}

export interface Costs {
  dispatcher: BatchedCost;
  scheduler: BatchedCost;
  database: BatchedCost;
}

/** Processor time of a payment at two sizes of batches. */
export interface TwoPoints {
  full: { batch: number; us: number };
  small: { batch: number; us: number };
}

/** Two unknowns from two measurements: us = paymentUs + batchUs / batch. */
export function costFrom({ full, small }: TwoPoints): BatchedCost {
  const batchUs = Math.max(0, (small.us - full.us) / (1 / small.batch - 1 / full.batch));
  return { paymentUs: Math.max(0, full.us - batchUs / full.batch), batchUs };
}

/**
 * From docs/explanation/performance.md: everything at once (batches of some 200) and a steady 1,000/s (of a dozen), with the event log in
 * PostgreSQL.
 */
export const measuredCosts: Costs = {
  dispatcher: costFrom({ full: { batch: 200, us: 330 }, small: { batch: 12, us: 580 } }),
  scheduler: costFrom({ full: { batch: 200, us: 65 }, small: { batch: 12, us: 190 } }),
  database: costFrom({ full: { batch: 200, us: 312 }, small: { batch: 12, us: 760 } }),
};
