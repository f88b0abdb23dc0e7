import type { PlantedFault } from './planted-fault.ts';

const events = 'libs/events/src';
const dispatcher = 'apps/webhook-dispatcher/src/dispatcher';
const scheduler = 'apps/reversal-scheduler/src/reversal';

/** Numbers that alerts are made of. A series that begins with its first event has not increased for Prometheus. */
export const alertFaults: readonly PlantedFault[] = [
  {
    id: 'handled-born-late',
    breaks: 'The count of handled events begins with the first one, so a consumer that never handled any is not seen.',
    against: 'T-19',
    file: `${events}/delivery/delivery-metrics.ts`,
    find: '[parkedEvents, failedBatches, handledEvents]',
    put: '[parkedEvents, failedBatches]',
    specs: [`${events}/nest/events-server.int.spec.ts`],
  },
  {
    id: 'decisions-born-late',
    breaks: 'The first payments that are reversed raise no alert.',
    against: 'R-3.1-3',
    file: `${scheduler}/prometheus-reversal.metrics.ts`,
    find: "for (const decision of ['SETTLED', 'REVERSED'])",
    put: "for (const decision of ['SETTLED'])",
    specs: [`${scheduler}/prometheus-reversal.metrics.spec.ts`],
    isSampled: true,
  },
  {
    id: 'first-verdict-counts',
    breaks: 'A merchant that acknowledges again is still counted as failing.',
    against: 'R-3.1-3',
    file: `${dispatcher}/recent-merchants.ts`,
    find: '    this.latest.delete(merchantId);\n    this.latest.set(',
    put: '    if (!this.latest.has(merchantId)) this.latest.set(',
    specs: [`${dispatcher}/recent-merchants.spec.ts`],
    isSampled: true,
  },
  {
    id: 'latest-forgotten-first',
    breaks: 'Of too many merchants the one that was heard of first is forgotten, however often it was heard of since.',
    against: 'R-3.1-3',
    file: `${dispatcher}/recent-merchants.ts`,
    find: '    this.latest.delete(merchantId);\n    this.latest.set(',
    put: '    this.latest.set(',
    specs: [`${dispatcher}/recent-merchants.spec.ts`],
  },
];
