import { counter } from '@paycode/service-runtime/metrics';

const steps = ['arm', 'close', 'decide', 'notice', 'outbox', 'send', 'settle', 'verdict'] as const;

/** The step at which an item was parked. */
export type ParkedWorkStep = (typeof steps)[number];

const parked = counter(
  'paycode_persistence_work_parked_total',
  'Items parked because their own data makes a step fail; must stay 0.',
  ['step'],
);
// Starts each series at 0, because Prometheus sees no increase in a series that begins with its first item.
for (const step of steps) parked.inc({ step }, 0);

/**
 * Counts an item that was parked because of its own data while the others continue. An operator must look at any increase (alert
 * WorkParked).
 */
export function countParked(step: ParkedWorkStep): void {
  parked.inc({ step });
}
