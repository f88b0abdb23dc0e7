import type { Ceilings } from './work-per-payment.ts';

/**
 * Ceilings for the cost of a payment to the database and the processes. A change that lowers the cost lowers them; one that raises a ceiling
 * says why here.
 * Statements and rows of single calls depend on how many calls share a write, which is fewer the faster the machine is: their ceilings have
 * more room. So do, less, the bytes that are allocated: 235,000 to 264,000 and 179,000 to 208,000 in thirteen counts, at a load of 10 to 40
 * on two cores. The highest were beside eight processes that did nothing but spin, when calls were refused (503) and came again.
 *
 * Processor time is printed and has no ceiling. In pieces of a fixed work that ran meanwhile it was 53 to 91 for a payment of a call of its
 * own and 43 to 65 for one of a hundred on that machine: a ceiling that never fails by luck would let twice the work pass.
 */
export const workCeilings: Ceilings = {
  'one per call': { statements: 1.5, rowsInserted: 6.8, walBytes: 12_400, allocatedBytes: 340_000 },
  '100 per call': { statements: 0.4, rowsInserted: 5.9, walBytes: 12_400, allocatedBytes: 280_000 },
};
