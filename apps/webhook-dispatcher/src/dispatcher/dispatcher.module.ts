import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { EventTransport, OutboxRelay } from '@paycode/events';
import { isOurFault, OutboundGuard, outboundPolicyOf } from '@paycode/safe-http';
import { PaymentTracing } from '@paycode/tracing';
import { DataSource } from 'typeorm';
import { SystemClock } from '@paycode/timing';
import type { Settings } from '../config/env';
import { DeliveryMetrics } from '../deliveries';
import { PostgresInformationalStore, RedeliverInformational } from '../informational';
import { dispatcherGroup, RecordDeliveries, TransactionTerminalConsumer } from '../intake';
import { AssignedPartitions } from './assigned-partitions';
import { DeliveriesController, DeliveryLog, PostgresDeliveryLogStore, ShowDelivery } from '../on-call';
import { HandshakeGate, UndiciWebhookClient } from '../posting';
import { CloseDeliveries, PostgresVerdictStore, TracedVerdictStore, VerdictStore } from '../verdicts';
import type { Dispatcher } from './assemble-dispatcher';
import { dispatcherProvider } from './dispatcher.provider';
import { DISPATCHER } from './dispatcher.token';
import { DispatcherPassesJob } from './jobs/dispatcher-passes.job';
import { PrometheusDeliveryMetrics } from './prometheus-delivery.metrics';

/** Deliveries from the event to the verdict. */
@Module({})
export class DispatcherModule implements OnApplicationShutdown {
  constructor(@Inject(UndiciWebhookClient) private readonly poster: UndiciWebhookClient) {}

  static register(settings: Settings): DynamicModule {
    return {
      module: DispatcherModule,
      global: true,
      controllers: [TransactionTerminalConsumer, DeliveriesController],
      providers: [...outbound(settings), dispatcherProvider(settings), ...useCases(), DispatcherPassesJob],
      exports: [DISPATCHER, AssignedPartitions, VerdictStore],
    };
  }

  onApplicationShutdown(): void {
    this.poster.close();
  }
}

function outbound(settings: Settings) {
  return [
    PrometheusDeliveryMetrics,
    { provide: DeliveryMetrics, useExisting: PrometheusDeliveryMetrics },
    { provide: DeliveryLog, inject: [DataSource], useFactory: (source: DataSource) => new PostgresDeliveryLogStore(source) },
    {
      provide: VerdictStore,
      inject: [DataSource, OutboxRelay, PaymentTracing],
      useFactory: (dataSource: DataSource, relay: OutboxRelay, tracing: PaymentTracing) => {
        const traceparentOf = tracing.isOn ? (id: number) => tracing.traceparentOf(id) : undefined;
        const store = new PostgresVerdictStore(dataSource, 'webhook-dispatcher', () => relay.wake(), traceparentOf);
        return tracing.isOn ? new TracedVerdictStore(store, tracing) : store;
      },
    },
    {
      provide: UndiciWebhookClient,
      useFactory: () => {
        const guard = new OutboundGuard(outboundPolicyOf(settings));
        // The attempt watches the budget itself and does not blame the receiver for a stall of this process. This limit only cleans
        // up.
        const connect = guard.connector({ connectTimeoutMs: settings.CONNECT_BUDGET_MS + 2_000 });
        return new UndiciWebhookClient({ connect, isOurFault });
      },
    },
    {
      provide: HandshakeGate,
      inject: [UndiciWebhookClient],
      useFactory: (poster: UndiciWebhookClient) => {
        const idleOf = (origin: string) => poster.idleOf(origin);
        return new HandshakeGate(new SystemClock(), { handshakesPerSecond: settings.HANDSHAKES_PER_SECOND, idleOf });
      },
    },
    {
      provide: AssignedPartitions,
      inject: [EventTransport],
      useFactory: (transport: EventTransport) => new AssignedPartitions(transport, dispatcherGroup),
    },
  ];
}

function useCases() {
  return [
    { provide: RecordDeliveries, inject: [DISPATCHER], useFactory: (dispatcher: Dispatcher) => dispatcher.intake },
    { provide: CloseDeliveries, inject: [DISPATCHER], useFactory: (dispatcher: Dispatcher) => dispatcher.closing },
    {
      provide: RedeliverInformational,
      inject: [DataSource],
      useFactory: (dataSource: DataSource) => new RedeliverInformational(new PostgresInformationalStore(dataSource)),
    },
    { provide: ShowDelivery, inject: [DeliveryLog], useFactory: (log: DeliveryLog) => new ShowDelivery(log) },
  ];
}
