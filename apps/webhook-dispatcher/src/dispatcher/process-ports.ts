import { Injectable } from '@nestjs/common';
import { SystemClock } from '@paycode/timing';
import type { DispatcherPorts } from './assemble-dispatcher';
import { DispatcherNeighbours } from './dispatcher-neighbours';
import { DispatcherStores } from './dispatcher-stores';
import { PrometheusDeliveryMetrics } from './prometheus-delivery.metrics';

/** All ports of the dispatcher of this process. Nest finds each by its class. */
@Injectable()
export class ProcessPorts {
  constructor(
    private readonly stores: DispatcherStores,
    private readonly neighbours: DispatcherNeighbours,
    private readonly metrics: PrometheusDeliveryMetrics,
  ) {}

  get all(): DispatcherPorts {
    const { stores, neighbours, metrics } = this;
    return { ...stores, ...neighbours, clock: new SystemClock(), metrics, showLoad: read => metrics.observe(read) };
  }
}
