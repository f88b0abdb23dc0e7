import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { InternalClient, ServiceTokenSigner } from '@paycode/access';
import { OutboxRelay } from '@paycode/events';
import { evenShare, PostgresShardStore, ShardOwnership } from '@paycode/ownership';
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
import { PrometheusReversalMetrics } from './prometheus-reversal.metrics';
import { ReadReversal } from './read-reversal';
import { DecisionStore, DeliveryCloser, JobStore, ReversalMetrics } from './reversal.ports';
import { defaultTimerLimits, ReversalTimers } from './reversal-timers';
import { TracedArmReversals } from './tracing/traced-arm-reversals';
import { TracedDecideReversals } from './tracing/traced-decide-reversals';
import { TracedDeliveryCloser } from './tracing/traced-delivery-closer';
import { WatchTerminals } from './watch-terminals';

export interface ReversalSettings {
  dispatcherUrl: string;
  timerDelayMs: number;
  auditDelayMs: number;
  shardLeaseMs: number;
}

/** Reversal jobs and decisions: the dispatcher arms jobs, timers and the audit ask for verdicts, and verdicts decide. */
@Module({})
export class ReversalModule {
  static register(settings: ReversalSettings): DynamicModule {
    return {
      module: ReversalModule,
      controllers: [
        ReversalsController,
        AckReceivedConsumer,
        ReversalRequestedConsumer,

        transactionTerminalAuditConsumer(settings.auditDelayMs),
      ],
      providers: [...outbound(settings), ...useCases(settings), sharing(settings), ReversalTimerJob],
    };
  }
}

function outbound({ dispatcherUrl }: ReversalSettings) {
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

/** How this replica takes part in sharing the shards; a restarted process is another replica. */
function sharing({ shardLeaseMs }: ReversalSettings) {
  return {
    provide: ShardOwnership,
    inject: [DataSource],
    useFactory: (dataSource: DataSource) => {
      const options = { replica: randomUUID(), leaseMs: shardLeaseMs, assignment: evenShare };
      return new ShardOwnership(new PostgresShardStore(dataSource), new SystemClock(), options);
    },
  };
}

function useCases({ timerDelayMs }: ReversalSettings) {
  return [
    {
      provide: ArmReversals,
      inject: [JobStore, DecisionStore, ReversalMetrics, PaymentTracing],
      useFactory: (...[jobs, decisions, metrics, tracing]: [JobStore, DecisionStore, ReversalMetrics, PaymentTracing]) => {
        const ports = { jobs, decisions, metrics };
        return tracing.isOn ? new TracedArmReversals(ports, timerDelayMs, tracing) : new ArmReversals(ports, timerDelayMs);
      },
    },
    {
      provide: DecideReversals,
      inject: [DecisionStore, ReversalMetrics, PaymentTracing],
      useFactory: (decisions: DecisionStore, metrics: ReversalMetrics, tracing: PaymentTracing) =>
        tracing.isOn ? new TracedDecideReversals({ decisions, metrics }, tracing) : new DecideReversals({ decisions, metrics }),
    },
    {
      provide: ReversalTimers,
      inject: [JobStore, DeliveryCloser, DecideReversals, PrometheusReversalMetrics],
      useFactory: timersOf(timerDelayMs),
    },
    {
      provide: WatchTerminals,
      inject: [JobStore, ReversalMetrics],
      useFactory: (jobs: JobStore, metrics: ReversalMetrics) => new WatchTerminals({ jobs, metrics }, timerDelayMs),
    },
    { provide: ReadReversal, inject: [JobStore], useFactory: (jobs: JobStore) => new ReadReversal(jobs) },
  ];
}

type TimerParts = [JobStore, DeliveryCloser, DecideReversals, PrometheusReversalMetrics];

function timersOf(timerDelayMs: number) {
  // A scan looks ahead at most half of the delay of a new job; the other half is time for a slow commit to become
  // visible.
  const windowMs = Math.min(defaultTimerLimits.windowMs, timerDelayMs / 2);
  return (...[jobs, closer, reversals, metrics]: TimerParts): ReversalTimers => {
    const ports = { jobs, closer, reversals, clock: new SystemClock(), metrics };
    const timers = new ReversalTimers(ports, { ...defaultTimerLimits, windowMs });
    metrics.observe({ overdueMs: () => timers.overdueMs, timers: () => timers.size });
    return timers;
  };
}
