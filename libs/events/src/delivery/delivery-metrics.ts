import { Counter, register } from 'prom-client';

function counter(name: string, help: string): Counter<'topic' | 'group'> {
  const known = register.getSingleMetric(name) as Counter<'topic' | 'group'> | undefined;
  return known ?? new Counter({ name, help, labelNames: ['topic', 'group'] });
}

/** Any increase wants a person: an event could not be processed. */
export const parkedEvents = counter('events_parked_total', 'Events put into a dead-letter topic.');

export const failedBatches = counter('events_batch_failures_total', 'Batches whose handler failed; they come again.');

export const handledEvents = counter('events_handled_total', 'Events handled and committed.');
