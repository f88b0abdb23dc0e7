import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { OutboxRelay } from '@paycode/events';
import { evenShare, LivenessSession, PostgresShardStore, ShardOwnership } from '@paycode/ownership';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { SystemClock } from '@paycode/timing';
import { PaymentTracing } from '@paycode/tracing';
import { DataSource } from 'typeorm';
import { ArmReversals } from './arm-reversals';
import { HttpDeliveryCloserClient } from './clients/http-delivery-closer.client';
import { DecideReversals } from './decide-reversals';
import { AckReceivedConsumer } from './events/ack-received.consumer';
import { ReversalRequestedConsumer } from './events/reversal-requested.consumer';
import { transactionTerminalAuditConsumer } from './events/transaction-terminal-audit.consumer';
import { ReversalsController } from './http/reversals.controller';
import { ReversalTimerJob } from './jobs/reversal-timer.job';
import { PostgresDecisionStore } from './persistence/postgres-decision.store';
import { PostgresJobStore } from './persistence/postgres-job.store';
import { ProcessPorts } from './process-ports';
import { PrometheusReversalMetrics } from './prometheus-reversal.metrics';
import { ReadReversal } from './read-reversal';
import { DecisionStore, DeliveryCloser, JobStore, ReversalMetrics } from './reversal.ports';
import { defaultTimerLimits, ReversalTimers } from './reversal-timers';
import { TracedArmReversals } from './tracing/traced-arm-reversals';
import { TracedDecideReversals } from './tracing/traced-decide-reversals';
import { TracedDeliveryCloser } from './tracing/traced-delivery-closer';
import { WatchTerminals } from './watch-terminals';

export interface ReversalOptions {
  dispatcherUrl: string;
  timerDelayMs: number;
  auditDelayMs: number;
  /** INSTANCE_ID (P-T10). Default: none. */
  instance?: string;
  shardLeaseMs: number;
}

/** Reversal jobs and decisions: the dispatcher arms jobs, timers and the audit ask for verdicts, and verdicts decide. */
@Module({})
export class ReversalModule implements OnApplicationShutdown {
  constructor(private readonly liveness: LivenessSession) {}

  static register(options: ReversalOptions): DynamicModule {
    return {
      module: ReversalModule,
      controllers: [
        ReversalsController,
        AckReceivedConsumer,
        ReversalRequestedConsumer,
        transactionTerminalAuditConsumer(options.auditDelayMs),
      ],
      providers: [...outbound(options), ProcessPorts, ...useCases(options), liveness, sharing(options), ReversalTimerJob],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.liveness.close();
  }
}

function outbound({ dispatcherUrl }: ReversalOptions): Provider[] {
  return [
    PrometheusReversalMetrics,
    { provide: ReversalMetrics, useExisting: PrometheusReversalMetrics },
    { provide: JobStore, inject: [DataSource], useFactory: (dataSource: DataSource) => new PostgresJobStore(dataSource) },
    {
      provide: DecisionStore,
      inject: [DataSource, OutboxRelay, PaymentTracing],
      useFactory: (dataSource: DataSource, relay: OutboxRelay, tracing: PaymentTracing) => {
        const traceparentOf = tracing.isOn ? (id: number) => tracing.traceparentOf(id) : undefined;
        return new PostgresDecisionStore(dataSource, relay, traceparentOf);
      },
    },
    {
      provide: DeliveryCloser,
      inject: [ServiceTokenSigner, PaymentTracing],
      useFactory: (signer: ServiceTokenSigner, tracing: PaymentTracing) => {
        const client = new InternalClient({ baseUrl: dispatcherUrl, audience: 'webhook-dispatcher', signer });
        const closer = new HttpDeliveryCloserClient(client);
        return tracing.isOn ? new TracedDeliveryCloser(closer, tracing) : closer;
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

function useCases({ timerDelayMs }: ReversalOptions): Provider[] {
  return [
    {
      provide: ArmReversals,
      inject: [ProcessPorts],
      useFactory: (ports: ProcessPorts) =>
        ports.tracing.isOn ? new TracedArmReversals(ports, timerDelayMs, ports.tracing) : new ArmReversals(ports, timerDelayMs),
    },
    {
      provide: DecideReversals,
      inject: [ProcessPorts],
      useFactory: (ports: ProcessPorts) =>
        ports.tracing.isOn ? new TracedDecideReversals(ports, ports.tracing) : new DecideReversals(ports),
    },
    {
      provide: ReversalTimers,
      inject: [ProcessPorts, DecideReversals],
      useFactory: (ports: ProcessPorts, reversals: DecideReversals) => timersOf(timerDelayMs, ports, reversals),
    },
    {
      provide: WatchTerminals,
      inject: [ProcessPorts],
      useFactory: (ports: ProcessPorts) => new WatchTerminals(ports, timerDelayMs),
    },
    { provide: ReadReversal, inject: [JobStore], useFactory: (jobs: JobStore) => new ReadReversal(jobs) },
  ];
}

function timersOf(timerDelayMs: number, ports: ProcessPorts, reversals: DecideReversals): ReversalTimers {
  // A scan looks ahead at most half of the delay of a new job; the other half is time for a slow commit to become
  // visible.
  const windowMs = Math.min(defaultTimerLimits.windowMs, timerDelayMs / 2);
  const { jobs, closer, metrics, clock } = ports;
  const timers = new ReversalTimers({ jobs, closer, reversals, clock, metrics }, { ...defaultTimerLimits, windowMs });
  metrics.observe({ overdueMs: () => timers.overdueMs, timers: () => timers.size });
  return timers;
}
