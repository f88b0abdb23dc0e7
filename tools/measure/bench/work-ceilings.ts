import type { Ceilings } from './work-per-payment.ts';

/**
 * What a payment may cost the database. Whoever makes it cheaper lowers them; whoever raises one says why here. Statements of single calls
 * depend on how many calls share a write, which is fewer the faster the machine is: their ceiling has more room.
 */
export const workCeilings: Ceilings = {
  'one per call': { statements: 3, rowsInserted: 7.6, walBytes: 12_700 },
  '100 per call': { statements: 0.4, rowsInserted: 7.6, walBytes: 12_700 },
};
