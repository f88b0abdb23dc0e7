import { counter } from '@paycode/service-runtime/metrics';

const labels = ['topic', 'group'] as const;

/** An operator must look at any increase: an event could not be processed. */
export const parkedEvents = counter('paycode_events_parked_total', 'Events put into a dead-letter topic.', labels);

export const failedBatches = counter(
  'paycode_events_batch_failures_total',
  'Batches whose handler failed; they come again.',
  labels,
);

export const handledEvents = counter('paycode_events_handled_total', 'Events handled and committed.', labels);

/** For an alert, a series that begins with its first event has not increased: it has to be there before. */
export function bornAtZero(of: { topic: string; group: string }): void {
  for (const metric of [parkedEvents, failedBatches, handledEvents]) metric.inc(of, 0);
}
