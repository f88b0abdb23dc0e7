import { Injectable } from '@nestjs/common';
import { SystemClock } from '@paycode/timing';
import { PaymentTracing } from '@paycode/tracing';
import { PrometheusReversalMetrics } from './prometheus-reversal.metrics';
import { DecisionStore, DeliveryCloser, JobStore } from './reversal.ports';

/** All ports of the use cases of this process, and its tracing. Nest finds each by its class. */
@Injectable()
export class ProcessPorts {
  readonly clock = new SystemClock();

  constructor(
    readonly jobs: JobStore,
    readonly decisions: DecisionStore,
    readonly closer: DeliveryCloser,
    readonly metrics: PrometheusReversalMetrics,
    readonly tracing: PaymentTracing,
  ) {}
}
