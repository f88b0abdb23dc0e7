import { counter } from '@paycode/metrics';

const steps = ['arm', 'close', 'decide', 'notice', 'outbox', 'send', 'settle', 'verdict'] as const;

/** Where an item was put aside. */
export type ParkedWorkStep = (typeof steps)[number];

const parked = counter('paycode_persistence_work_parked_total', 'Items put aside because their own data fails; must stay 0.', [
  'step',
]);
// Born at 0: Prometheus sees no increase in a series that begins with its first item.
for (const step of steps) parked.inc({ step }, 0);

/** Counts an item that failed by its own data and was put aside so that the others go on: any increase wants a person (alert WorkParked). */
export function countParked(step: ParkedWorkStep): void {
  parked.inc({ step });
}
