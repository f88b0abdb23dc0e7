import { Counter, register } from 'prom-client';

const name = 'work_parked_total';

/**
 * Counts an item that failed by its own data and was put aside so that the others go on: any increase wants a person (alert WorkParked).
 * `step`: where it was, a word of the code and never data.
 */
export function countParked(step: string): void {
  const known = register.getSingleMetric(name) as Counter<'step'> | undefined;
  const help = 'Items put aside because their own data fails; must stay 0.';
  (known ?? new Counter({ name, help, labelNames: ['step'] })).inc({ step });
}
