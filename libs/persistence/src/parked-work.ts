import { Counter, register } from 'prom-client';

const name = 'work_parked_total';
const steps = ['arm', 'close', 'decide', 'notice', 'outbox', 'send', 'settle', 'verdict'] as const;

/** Where an item was put aside. */
export type ParkedWorkStep = (typeof steps)[number];

const parked = counter();

/** Counts an item that failed by its own data and was put aside so that the others go on: any increase wants a person (alert WorkParked). */
export function countParked(step: ParkedWorkStep): void {
  parked.inc({ step });
}

/** Born at 0: Prometheus sees no increase in a series that begins with its first item. */
function counter(): Counter<'step'> {
  const known = register.getSingleMetric(name) as Counter<'step'> | undefined;
  if (known) return known;
  const made = new Counter({
    name,
    help: 'Items put aside because their own data fails; must stay 0.',
    labelNames: ['step'] as const,
  });
  for (const step of steps) made.inc({ step }, 0);
  return made;
}
