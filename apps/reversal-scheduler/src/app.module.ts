import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { InternalClient, ServiceTokenModule, ServiceTokenSigner, tokenKeyOptionsOf } from '@paycode/access';
import {
  DeadLettersModule,
  eventsOptionsOf,
  MessagingModule,
  OutboxRelay,
  EventsServer,
  EventTransport,
  nameInCell,
} from '@paycode/events';
import { evenShare, LivenessSession, PostgresShardStore, ShardOwnership } from '@paycode/ownership';
import { connectionOptionsOf, DatabaseModule, migrateDatabase } from '@paycode/persistence';
import { IdRangeStore, RetainRanges, RetentionJob } from '@paycode/persistence/retention';
import { type EnvOf, LOGGER, type Logger, type ServiceDefinition } from '@paycode/service-runtime';
import { SystemClock } from '@paycode/service-runtime/timing';
import { PaymentTracing } from '@paycode/service-runtime/tracing';
import { DataSource } from 'typeorm';
import { migrations } from '../migrations';
import { CellsController } from './cells/cells.controller';
import { HttpOwnDispatcherClient } from './cells/http-own-dispatcher.client';
import { OtherSchedulers } from './cells/other-schedulers';
import { OwnCell } from './cells/own-cell';
import { OwnJobs } from './cells/own-jobs';
import { env } from './config/env';
import { ArmReversals } from './reversal/arm-reversals';
import { DecideReversals } from './reversal/decide-reversals';
import { HttpDeliveryCloserClient } from './reversal/http-delivery-closer.client';
import { PostgresDecisionStore } from './reversal/postgres-decision.store';
import { PostgresJobStore } from './reversal/postgres-job.store';
import { PrometheusReversalMetrics } from './reversal/prometheus-reversal.metrics';
import { ReadReversal } from './reversal/read-reversal';
import {
  AckReceivedConsumer,
  ReversalRequestedConsumer,
  transactionTerminalAuditConsumer,
} from './reversal/reversal-events.consumer';
import { ReversalTimerJob } from './reversal/reversal-timer.job';
import { defaultTimerLimits, ReversalTimers } from './reversal/reversal-timers';
import { DecisionStore, DeliveryCloser, JobStore, ReversalMetrics } from './reversal/reversal.ports';
import { reversalRanges } from './reversal/reversal-ranges';
import { ReversalsController } from './reversal/reversals.controller';
import { TracedArmReversals, TracedDecideReversals, TracedDeliveryCloser } from './reversal/traced-reversals';
import { WatchTerminals } from './reversal/watch-terminals';

const dayMs = 86_400_000;

type Settings = EnvOf<typeof env.schema>;

interface ReversalOptions {
  dispatcherUrl: string;
  /** CELL_NAME (P-1.12). null: the platform is one cell. */
  cell: string | null;
  timerDelayMs: number;
  auditDelayMs: number;
  retentionMs: number;
  /** INSTANCE_ID (P-T10). Default: none. */
  instance?: string;
  shardLeaseMs: number;
}

/** The reversal scheduler: durable jobs, write-once decisions, and timers that only ask the dispatcher. */
@Module({})
export class AppModule implements OnApplicationShutdown {
  constructor(private readonly liveness: LivenessSession) {}

  static forRoot(values: Settings): DynamicModule {
    const options = optionsOf(values);
    return {
      module: AppModule,
      imports: [
        ServiceTokenModule.forRoot('reversal-scheduler', tokenKeyOptionsOf(values)),
        DatabaseModule.forRoot('reversal-scheduler', {
          ...connectionOptionsOf(values),
          migrations,
          mustBeDurableIn: values.PAYCODE_ENVIRONMENT,
        }),
        DeadLettersModule,
        MessagingModule.forRoot('reversal-scheduler', eventsOptionsOf(values)),
      ],
      controllers: [
        ReversalsController,
        CellsController,
        AckReceivedConsumer,
        ReversalRequestedConsumer,
        transactionTerminalAuditConsumer(options.auditDelayMs),
      ],
      providers: [...outbound(options), ...useCases(options), liveness, sharing(options), ReversalTimerJob, RetentionJob],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.liveness.close();
  }
}

function optionsOf(values: Settings): ReversalOptions {
  return {
    dispatcherUrl: values.WEBHOOK_DISPATCHER_URL,
    cell: values.CELL_NAME,
    timerDelayMs: values.TIMER_DELAY_MS,
    auditDelayMs: values.AUDIT_DELAY_MS,
    retentionMs: values.RECORD_RETENTION_DAYS * dayMs,
    instance: values.INSTANCE_ID ?? undefined,
    shardLeaseMs: values.SCHEDULER_SHARD_LEASE_MS,
  };
}

function outbound({ dispatcherUrl, cell, auditDelayMs }: ReversalOptions): Provider[] {
  const dispatcher = (signer: ServiceTokenSigner) =>
    new InternalClient({ baseUrl: dispatcherUrl, audience: 'webhook-dispatcher', signer });
  return [
    {
      provide: OwnCell,
      inject: [{ token: HttpOwnDispatcherClient, optional: true }],
      useFactory: (own?: HttpOwnDispatcherClient) => new OwnCell(cell, own),
    },
    ...(cell === null ? [] : amongCells(cell, signer => new HttpOwnDispatcherClient(dispatcher(signer), auditDelayMs))),
    PrometheusReversalMetrics,
    { provide: ReversalMetrics, useExisting: PrometheusReversalMetrics },
    { provide: JobStore, inject: [DataSource], useFactory: (dataSource: DataSource) => new PostgresJobStore(dataSource) },
    {
      provide: DecisionStore,
      inject: [DataSource, OutboxRelay, PaymentTracing],
      useFactory: (dataSource: DataSource, relay: OutboxRelay, tracing: PaymentTracing) => {
        const traceparentOf = tracing.isOn ? (id: number) => tracing.traceparentOf(id) : undefined;
        return new PostgresDecisionStore(dataSource, relay, { source: nameInCell('reversal-scheduler', cell), traceparentOf });
      },
    },
    {
      provide: DeliveryCloser,
      inject: [ServiceTokenSigner, PaymentTracing],
      useFactory: (signer: ServiceTokenSigner, tracing: PaymentTracing) => {
        const closer = new HttpDeliveryCloserClient(dispatcher(signer));
        return tracing.isOn ? new TracedDeliveryCloser(closer, tracing) : closer;
      },
    },
  ];
}

/** The ways to the map and to the other cells (P-1.12). */
function amongCells(cell: string, own: (signer: ServiceTokenSigner) => HttpOwnDispatcherClient): Provider[] {
  return [
    { provide: HttpOwnDispatcherClient, inject: [ServiceTokenSigner], useFactory: own },
    {
      provide: OtherSchedulers,
      inject: [HttpOwnDispatcherClient, ServiceTokenSigner],
      useFactory: (dispatcher: HttpOwnDispatcherClient, signer: ServiceTokenSigner) => {
        const schedulerAt = (baseUrl: string) => new InternalClient({ baseUrl, audience: 'reversal-scheduler', signer });
        return new OtherSchedulers(cell, { dispatcher, schedulerAt });
      },
    },
  ];
}

/** Its lock tells the other replicas that this one lives (P-T11). */
const liveness: Provider = {
  provide: LivenessSession,
  inject: [DataSource, LOGGER],
  useFactory: (source: DataSource, logger: Logger) =>
    LivenessSession.besides(source, err =>
      logger.warn({ event: 'liveness-session', err }, 'the lock that shows this replica lives is down'),
    ),
};

/** How this replica takes part in sharing the shards; a restarted process is another replica. */
function sharing({ instance, shardLeaseMs }: ReversalOptions): Provider {
  return {
    provide: ShardOwnership,
    inject: [DataSource, LivenessSession],
    useFactory: (dataSource: DataSource, session: LivenessSession) => {
      const options = { replica: randomUUID(), instance, leaseMs: shardLeaseMs, assignment: evenShare };
      return new ShardOwnership(new PostgresShardStore(dataSource, session), new SystemClock(), options);
    },
  };
}

function useCases({ cell, timerDelayMs, retentionMs }: ReversalOptions): Provider[] {
  return [
    {
      provide: ArmReversals,
      inject: [JobStore, DecisionStore, ReversalMetrics, PaymentTracing],
      useFactory: (...ports: ArmPorts) => armReversalsOf(timerDelayMs, ports),
    },
    {
      provide: DecideReversals,
      inject: [DecisionStore, ReversalMetrics, PaymentTracing],
      useFactory: (decisions: DecisionStore, metrics: ReversalMetrics, tracing: PaymentTracing) => {
        const ports = { decisions, metrics };
        return tracing.isOn ? new TracedDecideReversals(ports, tracing) : new DecideReversals(ports);
      },
    },
    {
      provide: ReversalTimers,
      inject: [JobStore, DeliveryCloser, DecideReversals, PrometheusReversalMetrics],
      useFactory: (...ports: TimerPorts) => timersOf(timerDelayMs, ports),
    },
    {
      provide: WatchTerminals,
      inject: [JobStore, ReversalMetrics],
      useFactory: (jobs: JobStore, metrics: ReversalMetrics) => new WatchTerminals({ jobs, metrics }, timerDelayMs),
    },
    {
      provide: RetainRanges,
      inject: [DataSource],
      useFactory: (source: DataSource) => new RetainRanges(new IdRangeStore(source, reversalRanges), retentionMs),
    },
    {
      provide: OwnJobs,
      inject: [DataSource, EventTransport],
      useFactory: (source: DataSource, transport: EventTransport) => new OwnJobs(cell, source, transport),
    },
    { provide: ReadReversal, inject: [JobStore], useFactory: (jobs: JobStore) => new ReadReversal(jobs) },
  ];
}

type ArmPorts = [jobs: JobStore, decisions: DecisionStore, metrics: ReversalMetrics, tracing: PaymentTracing];
function armReversalsOf(timerDelayMs: number, [jobs, decisions, metrics, tracing]: ArmPorts): ArmReversals {
  const ports = { jobs, decisions, metrics };
  return tracing.isOn ? new TracedArmReversals(ports, timerDelayMs, tracing) : new ArmReversals(ports, timerDelayMs);
}

type TimerPorts = [jobs: JobStore, closer: DeliveryCloser, reversals: DecideReversals, metrics: PrometheusReversalMetrics];

function timersOf(timerDelayMs: number, [jobs, closer, reversals, metrics]: TimerPorts): ReversalTimers {
  // A scan looks ahead at most half of the delay of a new job; the other half is time for a slow commit to become
  // visible.
  const windowMs = Math.min(defaultTimerLimits.windowMs, timerDelayMs / 2);
  const ports = { jobs, closer, reversals, clock: new SystemClock(), metrics };
  const timers = new ReversalTimers(ports, { ...defaultTimerLimits, windowMs });
  metrics.observe({ overdueMs: () => timers.overdueMs, timers: () => timers.size });
  return timers;
}

/** The service that `main.ts` and tests start. */
export const schedulerDefinition: ServiceDefinition<typeof env.schema> = {
  name: 'reversal-scheduler',
  env,
  module: values => AppModule.forRoot(values),
  hasPublicPaths: false,
  migrate: migrateDatabase('reversal-scheduler', { migrations }),
  events: app => app.get(EventsServer),
};
