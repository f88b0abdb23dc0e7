import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type DynamicModule, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import {
  IdentityModule,
  InternalClient,
  MerchantTenants,
  ServiceTokenModule,
  ServiceTokenSigner,
  tokenKeyOptionsOf,
} from '@paycode/access';
import { transactionTerminal } from '@paycode/dto';
import { AckTokens, KeyRing, PayloadSealer, WebhookKeySealer } from '@paycode/crypto';
import { ErasureModule } from '@paycode/persistence/erasure';
import {
  DeadLettersModule,
  eventsOptionsOf,
  EventsServer,
  EventTransport,
  MessagingModule,
  nameInCell,
  OutboxRelay,
} from '@paycode/events';
import { LivenessSession, PostgresShardStore } from '@paycode/ownership';
import { connectionOptionsOf, DatabaseModule, migrateDatabase } from '@paycode/persistence';
import { IdRangeStore, RetainRanges, RetentionJob } from '@paycode/persistence/retention';
import { isOurFault, OutboundGuard, outboundPolicyOf, userAgent } from '@paycode/safe-http';
import { LOGGER, type Logger, type ServiceDefinition } from '@paycode/service-runtime';
import { SystemClock } from '@paycode/service-runtime/timing';
import { PaymentTracing } from '@paycode/service-runtime/tracing';
import { DataSource } from 'typeorm';
import { migrations } from '../migrations';
import { HttpReversalSchedulerClient } from './arming/reversal-scheduler.client';
import { env, type Settings } from './config/env';
import { DeliveryMetrics } from './deliveries/deliveries.ports';
import { pauseLimitsOf } from './deliveries/domain/attempt-rules';
import { PostgresDeliveryStore } from './deliveries/persistence/postgres-delivery.store';
import { Dispatcher, type DispatcherPorts, type DispatcherSettings, type Gathering } from './dispatcher/dispatcher';
import { AssignedPartitions, DispatcherPassesJob } from './dispatcher/dispatcher-passes.job';
import { PrometheusDeliveryMetrics } from './dispatcher/prometheus-delivery.metrics';
import { TracedReversalScheduler, TracedVerdictStore, TracedWebhookPoster } from './dispatcher/traced-delivery';
import { InformationalStore, PostgresInformationalStore } from './informational/informational.store';
import { RedeliverInformational } from './informational/repeat-informational';
import { CellsController } from './cells/cells.controller';
import { CloseInCells } from './cells/close-in-cells';
import { CellViewController } from './cells/cell-view.controller';
import { CellMembership, FollowCellsJob } from './cells/follow-cells.job';
import { HttpOtherCells } from './cells/http-other-cells';
import { PostgresOwnIntake } from './cells/own-intake';
import { FollowMap, OwnRanges } from './cells/own-ranges';
import { PostgresPartitionRanges } from './cells/partition-range';
import { RecordDeliveries } from './intake/record-deliveries';
import { dispatcherGroup, TransactionTerminalConsumer } from './intake/transaction-terminal.consumer';
import { DeliveriesController, ShardsController } from './on-call/deliveries.controller';
import { DeliveryLogStore } from './on-call/delivery-log.store';
import { ShowDelivery } from './on-call/show-delivery';
import { EndpointsController, PortalEndpointsController } from './pausing/endpoints.controller';
import { MerchantEndpoints, PauseEndpoint } from './pausing/pause-endpoint';
import { PauseStore } from './pausing/pause.store';
import { EndingCertificates } from './posting/ending-certificates';
import { HandshakeGate } from './posting/handshake-gate';
import { UndiciWebhookClient } from './posting/undici-webhook.client';
import { KeyRingWebhookSealer, WebhookSealer } from './posting/webhook-sealer';
import { NotificationStore, storedDeliveries } from './recovery/notification.store';
import {
  CellNotificationController,
  PortalNotificationsController,
  PurchaseNotificationController,
} from './recovery/notifications.controller';
import { AcknowledgeByPull, RecoverNotification } from './recovery/recover-notification';
import { RedeliverNotice, SealRequest, ShowNotification } from './recovery/show-notification';
import { deliveryRanges } from './retention/delivery-ranges';
import { HttpRouteSourceClient } from './routes/route-cache';
import { RouteTenants } from './routes/route-tenants';
import { PostgresVerdictStore, VerdictStore } from './verdicts/verdict.store';

/** AckReceived may wait this long for others to share its publish: the reversal that it ends is due a minute later. */
const ackReceivedGatherMs = 100;
const dayMs = 86_400_000;
/** A scheduler waits 5 s for `close`, which may ask a former cell and then send the call on. */
const otherCellTimeoutMs = 2_000;
/** Of so many deliveries that ended well at their first attempt, one has a log line: at 30 a second, one every 3 seconds. */
const deliveriesPerLogLine = 100;
/** Short for a delivery, and long enough that about a dozen share a call under load. */
const gathering: Gathering = { turn: () => setImmediate(), beforePostMs: 4, afterVerdictsMs: 20 };

/** The webhook dispatcher: durable deliveries, POSTs under a shard's epoch, write-once verdicts. */
@Module({})
export class AppModule implements OnApplicationShutdown {
  constructor(
    private readonly poster: UndiciWebhookClient,
    private readonly liveness: LivenessSession,
  ) {}

  static forRoot(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('webhook-dispatcher', tokenKeyOptionsOf(settings)),
        IdentityModule.forRoot('webhook-dispatcher', { jwksUrl: `${settings.AUTH_SESSION_URL}/internal/jwks` }),
        DatabaseModule.forRoot('webhook-dispatcher', {
          ...connectionOptionsOf(settings),
          migrations,
          mustBeDurableIn: settings.PAYCODE_ENVIRONMENT,
        }),
        DeadLettersModule,
        MessagingModule.forRoot('webhook-dispatcher', {
          ...eventsOptionsOf(settings),
          beginsTraces: true,
          gatherMs: ackReceivedGatherMs,
        }),
        ErasureModule.register({ source: storedDeliveries, payloadKeys: settings.PAYLOAD_KEYS }),
      ],
      controllers: [
        TransactionTerminalConsumer,
        DeliveriesController,
        ShardsController,
        CellsController,
        CellViewController,
        EndpointsController,
        PortalEndpointsController,
        PurchaseNotificationController,
        CellNotificationController,
        PortalNotificationsController,
      ],
      providers: [
        ...stores,
        ...outbound(settings),
        dispatcher(settings),
        ...useCases(settings),
        ...recovery(settings),
        membership(settings),
        FollowCellsJob,
        AssignedPartitions,
        DispatcherPassesJob,
        RetentionJob,
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    this.poster.close();
    await this.liveness.close();
  }
}

type VerdictParts = [source: DataSource, relay: OutboxRelay, tracing: PaymentTracing, tokens: AckTokens, cells: CellMembership];

function verdictStoreOf([source, relay, tracing, tokens, cells]: VerdictParts): VerdictStore {
  const traceparentOf = tracing.isOn ? (id: number) => tracing.traceparentOf(id) : undefined;
  const event = { source: nameInCell('webhook-dispatcher', cells.others?.self) };
  const options = { ...event, tokens, onAcknowledged: () => relay.wake(), traceparentOf };
  const store = new PostgresVerdictStore(source, options);
  return tracing.isOn ? new TracedVerdictStore(store, tracing) : store;
}

const stores: Provider[] = [
  {
    // Its lock tells the other replicas that this one lives (P-T11).
    provide: LivenessSession,
    inject: [DataSource, LOGGER],
    useFactory: (source: DataSource, logger: Logger) =>
      LivenessSession.besides(source, err =>
        logger.warn({ event: 'liveness-session', err }, 'the lock that shows this replica lives is down'),
      ),
  },
  {
    provide: VerdictStore,
    inject: [DataSource, OutboxRelay, PaymentTracing, AckTokens, CellMembership],
    useFactory: (...injected: VerdictParts) => verdictStoreOf(injected),
  },
  {
    provide: InformationalStore,
    inject: [DataSource],
    useFactory: (source: DataSource) => new PostgresInformationalStore(source),
  },
  { provide: EndingCertificates, inject: [DataSource], useFactory: (source: DataSource) => new EndingCertificates(source) },
  { provide: PauseStore, inject: [DataSource], useFactory: (source: DataSource) => new PauseStore(source) },
  { provide: NotificationStore, inject: [DataSource], useFactory: (source: DataSource) => new NotificationStore(source) },
];

/** Requests to receivers, and the numbers and log lines about them. */
function outbound(settings: Settings): Provider[] {
  return [
    { provide: AckTokens, useFactory: () => AckTokens.of(readFileSync(settings.SERVICE_TOKEN_PRIVATE_KEY_FILE, 'utf8')) },
    {
      provide: UndiciWebhookClient,
      inject: [EndingCertificates],
      useFactory: (certificates: EndingCertificates) => {
        // The attempt watches the budget itself and does not blame the receiver for a stall of this process. This limit only cleans
        // up.
        const connectTimeoutMs = settings.CONNECT_BUDGET_MS + 2_000;
        const guard = new OutboundGuard(outboundPolicyOf(settings));
        const connect = certificates.watching(guard.connector({ connectTimeoutMs }));
        const connectWithCertificate = certificates.watching(guard.connector({ connectTimeoutMs, showsCertificate: true }));
        return new UndiciWebhookClient({ connect, connectWithCertificate, isOurFault, clock: new SystemClock(), watchLoop });
      },
    },
    {
      provide: WebhookSealer,
      useFactory: () => {
        const keys = new WebhookKeySealer(KeyRing.parse(settings.KEY_ENCRYPTION_KEYS));
        return new KeyRingWebhookSealer(payloadsOf(settings), keys);
      },
    },
    {
      provide: PrometheusDeliveryMetrics,
      inject: [LOGGER],
      useFactory: (logger: Logger) => new PrometheusDeliveryMetrics(logger, { deliveriesPerLogLine }),
    },
    { provide: DeliveryMetrics, useExisting: PrometheusDeliveryMetrics },
  ];
}

const parts = [
  DataSource,
  LivenessSession,
  VerdictStore,
  InformationalStore,
  PauseStore,
  WebhookSealer,
  UndiciWebhookClient,
  PrometheusDeliveryMetrics,
  ServiceTokenSigner,
  PaymentTracing,
  AckTokens,
  CellMembership,
] as const;
type Instances<Classes> = { [At in keyof Classes]: Classes[At] extends { prototype: infer Instance } ? Instance : never };
type Parts = Instances<typeof parts>;

/** The place of this process among the cells (P-1.12). */
function membership(settings: Settings): Provider {
  return {
    provide: CellMembership,
    inject: [DataSource, EventTransport, ServiceTokenSigner],
    useFactory: (...injected: [DataSource, EventTransport, ServiceTokenSigner]) =>
      new CellMembership(settings.CELL_NAME === null ? undefined : otherCells(settings.CELL_NAME, settings, injected)),
  };
}

function otherCells(
  cell: string,
  settings: Settings,
  [source, transport, signer]: [DataSource, EventTransport, ServiceTokenSigner],
): HttpOtherCells {
  const { partitions: partitionCount } = transactionTerminal.topic;
  const ranges = new PostgresPartitionRanges(source);
  const intake = new PostgresOwnIntake(source, transport, dispatcherGroup);
  return new HttpOtherCells(cell, {
    map: new InternalClient({ baseUrl: settings.NOTIFICATION_CONFIG_URL, audience: 'notification-config', signer }),
    dispatcherAt: baseUrl =>
      new InternalClient({ baseUrl, audience: 'webhook-dispatcher', signer, timeoutMs: otherCellTimeoutMs }),
    following: new FollowMap(cell, ranges, intake, partitionCount),
    ranges,
    partitionCount,
  });
}

/** The dispatcher of this process. */
function dispatcher(settings: Settings): Provider {
  return {
    provide: Dispatcher,
    inject: [...parts],
    useFactory: (...injected: Parts) => new Dispatcher(portsOf(settings, injected), dispatcherSettings(settings)),
  };
}

/** The ports of this process's dispatcher: PostgreSQL, HTTP and the clock of the system. */
function portsOf(settings: Settings, injected: Parts): DispatcherPorts {
  const [source, liveness, verdicts, informational, pauses, sealer, client, metrics, signer, tracing, tokens, cells] = injected;
  const internal = (audience: 'reversal-scheduler' | 'notification-config', baseUrl: string) =>
    new InternalClient({ baseUrl, audience, signer });
  const scheduler = new HttpReversalSchedulerClient(internal('reversal-scheduler', settings.REVERSAL_SCHEDULER_URL), tokens);
  return {
    clock: new SystemClock(),
    shards: new PostgresShardStore(source, liveness),
    deliveries: new PostgresDeliveryStore(source),
    ranges: new PostgresPartitionRanges(source),
    former: cells.former,
    verdicts,
    informational,
    pauses,
    scheduler: tracing.isOn ? new TracedReversalScheduler(scheduler, tracing) : scheduler,
    routes: new HttpRouteSourceClient(internal('notification-config', settings.NOTIFICATION_CONFIG_URL)),
    sealer,
    poster: tracing.isOn ? new TracedWebhookPoster(client, tracing) : client,
    gate: gateBefore(client),
    metrics,
    showLoad: read => metrics.observe(read),
  };
}

/** While the event loop is busy for at least this share of a wait for a connection, the wait says nothing about the receiver. */
const saturatedFrom = 0.9;

function watchLoop(): () => boolean {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).utilization >= saturatedFrom;
}

/** New TLS connections to receivers. Each costs about 1.3 ms of CPU, so these take a third of the process and leave the rest to deliveries. */
const handshakesPerSecond = 250;

function gateBefore(client: UndiciWebhookClient): HandshakeGate {
  const gate = new HandshakeGate(new SystemClock(), { handshakesPerSecond, idleOf: origin => client.idleOf(origin) });
  client.onIdle(origin => gate.onIdle(origin));
  return gate;
}

/** Deliveries in memory, waiting or in flight; further ones wait in the database. At 8 KiB each they take 313 MiB. */
const heldMax = 40_000;

function dispatcherSettings(settings: Settings): DispatcherSettings {
  return {
    // Each start gets a new identity, because a restarted process does not know what its predecessor had in flight.
    replica: randomUUID(),
    instance: settings.INSTANCE_ID ?? undefined,
    shardLeaseMs: settings.DISPATCHER_SHARD_LEASE_MS,
    rules: rulesOf(settings),
    post: { ackWindowMs: settings.ACK_WINDOW_MS, connectBudgetMs: settings.CONNECT_BUDGET_MS, userAgent },
    slotsMax: settings.SOCKETS_MAX,
    heldMax,
    relaysUrl: settings.SANDBOX_RELAYS_URL ?? undefined,
    gathering,
  };
}

function rulesOf(settings: Settings): DispatcherSettings['rules'] {
  return { attemptsMax: settings.MAX_ATTEMPTS, dispatchWindowMs: settings.DISPATCH_WINDOW_MS };
}

/** Use cases that the consumer, the controllers of on-call and the jobs call. */
function useCases(settings: Settings): Provider[] {
  return [
    { provide: RecordDeliveries, inject: [Dispatcher], useFactory: ({ intake }: Dispatcher) => intake },
    {
      provide: CloseInCells,
      inject: [Dispatcher, OwnRanges, CellMembership],
      useFactory: ({ closing }: Dispatcher, ranges: OwnRanges, { others }: CellMembership) =>
        new CloseInCells({ closing, ranges, others }),
    },
    {
      provide: RedeliverInformational,
      inject: [InformationalStore],
      useFactory: (store: InformationalStore) => new RedeliverInformational(store),
    },
    {
      provide: PauseEndpoint,
      inject: [PauseStore, Dispatcher],
      useFactory: (store: PauseStore, { routes, pauses }: Dispatcher) =>
        new PauseEndpoint(store, new MerchantEndpoints(routes), pauses, pauseLimitsOf(rulesOf(settings))),
    },
    {
      provide: ShowDelivery,
      inject: [DataSource],
      useFactory: (source: DataSource) => new ShowDelivery(new DeliveryLogStore(source)),
    },
    {
      provide: OwnRanges,
      inject: [DataSource, EventTransport],
      useFactory: (source: DataSource, transport: EventTransport) =>
        new OwnRanges(settings.CELL_NAME, {
          ranges: new PostgresPartitionRanges(source),
          intake: new PostgresOwnIntake(source, transport, dispatcherGroup),
          partitionCount: transactionTerminal.topic.partitions,
        }),
    },
    {
      provide: RetainRanges,
      inject: [DataSource],
      useFactory: (source: DataSource) =>
        new RetainRanges(new IdRangeStore(source, deliveryRanges), settings.RETENTION_DAYS * dayMs),
    },
  ];
}

/** `GET /pluto/purchase/notification/{transactionId}`, and what the portal shows and repeats. */
function recovery(settings: Settings): Provider[] {
  return [
    { provide: MerchantTenants, inject: [Dispatcher], useFactory: ({ routes }: Dispatcher) => new RouteTenants(routes) },
    {
      provide: RecoverNotification,
      inject: [NotificationStore, Dispatcher, VerdictStore],
      useFactory: (store: NotificationStore, { routes, settling }: Dispatcher, verdicts: VerdictStore) =>
        new RecoverNotification(store, routes, new AcknowledgeByPull(verdicts, settling), payloadsOf(settings)),
    },
    {
      provide: ShowNotification,
      inject: [NotificationStore, Dispatcher, WebhookSealer],
      useFactory: (store: NotificationStore, { routes }: Dispatcher, sealer: WebhookSealer) =>
        new ShowNotification(store, payloadsOf(settings), new SealRequest(routes, sealer, userAgent)),
    },
    {
      provide: RedeliverNotice,
      inject: [NotificationStore, RedeliverInformational],
      useFactory: (store: NotificationStore, redeliverNotice: RedeliverInformational) =>
        new RedeliverNotice(store, redeliverNotice),
    },
  ];
}

function payloadsOf(settings: Settings): PayloadSealer {
  return new PayloadSealer(KeyRing.parse(settings.PAYLOAD_KEYS));
}

/** The service that `main.ts` and tests start. */
export const dispatcherDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'webhook-dispatcher',
  env,
  module: settings => AppModule.forRoot(settings),
  hasPublicPaths: true,
  migrate: migrateDatabase('webhook-dispatcher', { migrations }),
  events: app => app.get(EventsServer),
};
