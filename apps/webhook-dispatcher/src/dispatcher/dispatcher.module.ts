import { type DynamicModule, Inject, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { OutboxRelay } from '@paycode/events';
import { LivenessSession, PostgresShardStore, ShardStore } from '@paycode/ownership';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { PaymentTracing } from '@paycode/tracing';
import { DataSource } from 'typeorm';
import { DeliveryMetrics, DeliveryStore } from '../deliveries/deliveries.ports';
import { PostgresDeliveryStore } from '../deliveries/persistence/postgres-delivery.store';
import { InformationalStore, PostgresInformationalStore } from '../informational/informational.store';
import { RedeliverInformational } from '../informational/redeliver-informational';
import { RecordDeliveries } from '../intake/record-deliveries';
import { TransactionTerminalConsumer } from '../intake/transaction-terminal.consumer';
import { DeliveriesController, ShardsController } from '../on-call/deliveries.controller';
import { DeliveryLogStore } from '../on-call/delivery-log.store';
import { ShowDelivery } from '../on-call/show-delivery';
import { pauseLimitsOf } from '../pausing/domain/pause-limits';
import { EndpointsController, PortalEndpointsController } from '../pausing/endpoints.controller';
import { MerchantEndpoints, PauseEndpoint } from '../pausing/pause-endpoint';
import { PauseStore } from '../pausing/pause.store';
import { UndiciWebhookClient } from '../posting/undici-webhook.client';
import { WebhookSealer } from '../posting/webhook-sealer';
import { CloseDeliveries } from '../verdicts/close-deliveries';
import { TracedVerdictStore } from '../verdicts/tracing/traced-verdict.store';
import { PostgresVerdictStore, VerdictStore } from '../verdicts/verdict.store';
import type { Dispatcher } from './assemble-dispatcher';
import { DispatcherNeighbours } from './dispatcher-neighbours';
import type { DispatcherOptions } from './dispatcher-options';
import { AssignedPartitions, DispatcherPassesJob } from './dispatcher-passes.job';
import { DispatcherStores } from './dispatcher-stores';
import { dispatcherProvider } from './dispatcher.provider';
import { DISPATCHER } from './dispatcher.token';
import { outboundProviders } from './outbound-providers';
import { ProcessPorts } from './process-ports';
import { PrometheusDeliveryMetrics } from './prometheus-delivery.metrics';

/** Deliveries from the event to the verdict. */
@Module({})
export class DispatcherModule implements OnApplicationShutdown {
  constructor(
    @Inject(UndiciWebhookClient) private readonly poster: UndiciWebhookClient,
    private readonly liveness: LivenessSession,
  ) {}

  static register(options: DispatcherOptions): DynamicModule {
    return {
      module: DispatcherModule,
      global: true,
      controllers: [
        TransactionTerminalConsumer,
        DeliveriesController,
        ShardsController,
        EndpointsController,
        PortalEndpointsController,
      ],
      providers: [
        ...storeProviders(),
        ...outboundProviders(options),
        ...ports(options),
        dispatcherProvider(options),
        ...useCases(options),
        AssignedPartitions,
        DispatcherPassesJob,
      ],
      exports: [DISPATCHER, VerdictStore, WebhookSealer, RedeliverInformational],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    this.poster.close();
    await this.liveness.close();
  }
}

function ports({ deliveriesPerLogLine }: DispatcherOptions): Provider[] {
  return [
    {
      provide: PrometheusDeliveryMetrics,
      inject: [LOGGER],
      useFactory: (logger: Logger) => new PrometheusDeliveryMetrics(logger, { deliveriesPerLogLine }),
    },
    { provide: DeliveryMetrics, useExisting: PrometheusDeliveryMetrics },
    DispatcherStores,
    DispatcherNeighbours,
    ProcessPorts,
  ];
}

function storeProviders(): Provider[] {
  return [
    {
      provide: LivenessSession,
      inject: [DataSource, LOGGER],
      useFactory: (source: DataSource, logger: Logger) =>
        LivenessSession.besides(source, err =>
          logger.warn({ event: 'liveness-session', err }, 'the lock that shows this replica lives is down'),
        ),
    },
    {
      provide: ShardStore,
      inject: [DataSource, LivenessSession],
      useFactory: (source: DataSource, liveness: LivenessSession) => new PostgresShardStore(source, liveness),
    },
    { provide: DeliveryStore, inject: [DataSource], useFactory: (source: DataSource) => new PostgresDeliveryStore(source) },
    {
      provide: InformationalStore,
      inject: [DataSource],
      useFactory: (source: DataSource) => new PostgresInformationalStore(source),
    },
    { provide: PauseStore, inject: [DataSource], useFactory: (source: DataSource) => new PauseStore(source) },
    { provide: DeliveryLogStore, inject: [DataSource], useFactory: (source: DataSource) => new DeliveryLogStore(source) },
    {
      provide: VerdictStore,
      inject: [DataSource, OutboxRelay, PaymentTracing],
      useFactory: (dataSource: DataSource, relay: OutboxRelay, tracing: PaymentTracing) => {
        const traceparentOf = tracing.isOn ? (id: number) => tracing.traceparentOf(id) : undefined;
        const store = new PostgresVerdictStore(dataSource, 'webhook-dispatcher', () => relay.wake(), traceparentOf);
        return tracing.isOn ? new TracedVerdictStore(store, tracing) : store;
      },
    },
  ];
}

function useCases({ rules }: DispatcherOptions): Provider[] {
  return [
    { provide: RecordDeliveries, inject: [DISPATCHER], useFactory: (dispatcher: Dispatcher) => dispatcher.intake },
    { provide: CloseDeliveries, inject: [DISPATCHER], useFactory: (dispatcher: Dispatcher) => dispatcher.closing },
    {
      provide: RedeliverInformational,
      inject: [InformationalStore],
      useFactory: (store: InformationalStore) => new RedeliverInformational(store),
    },
    {
      provide: PauseEndpoint,
      inject: [PauseStore, DISPATCHER],
      useFactory: (store: PauseStore, { routes, pauses }: Dispatcher) =>
        new PauseEndpoint(store, new MerchantEndpoints(routes), pauses, pauseLimitsOf(rules)),
    },
    { provide: ShowDelivery, inject: [DeliveryLogStore], useFactory: (log: DeliveryLogStore) => new ShowDelivery(log) },
  ];
}
