import type { CloseItem, VerdictKind } from '@paycode/dto';
import { evenShare, ShardOwnership } from '@paycode/ownership';
import { ArmReversals } from '../../../../apps/reversal-scheduler/src/reversal/arm-reversals';
import { DecideReversals } from '../../../../apps/reversal-scheduler/src/reversal/decide-reversals';
import type { DecisionToRecord } from '../../../../apps/reversal-scheduler/src/reversal/domain/decision';
import {
  AckReceivedConsumer,
  transactionTerminalAuditConsumer,
} from '../../../../apps/reversal-scheduler/src/reversal/reversal-events.consumer';
import { defaultTimerLimits, ReversalTimers } from '../../../../apps/reversal-scheduler/src/reversal/reversal-timers';
import {
  type DecisionOutcome,
  type DecisionStore,
  DeliveryCloser,
  type JobStore,
  ReversalMetrics,
} from '../../../../apps/reversal-scheduler/src/reversal/reversal.ports';
import type { InMemoryReversalDatabase } from '../../../../apps/reversal-scheduler/src/reversal/testing/in-memory-reversal-database';
import { WatchTerminals } from '../../../../apps/reversal-scheduler/src/reversal/watch-terminals';
import type { StatementExecutor } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/dispatcher-tables';
import type { SimProcess } from '../engine/sim-process.ts';
import type { SimulatedWorld } from './simulated-world.ts';
import type { Watcher } from './watcher.ts';

/** A store whose every method is one statement on a server. */
function remote<T extends object>(store: T, execute: StatementExecutor): T {
  return new Proxy(store, {
    get: (target, name) => {
      const method = target[name as keyof T];
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => execute(() => (method as (...all: unknown[]) => unknown).apply(target, args));
    },
  });
}

/** DEC_NOCAS: every decision is written, whatever stands. */
export function overwritingDecisions(database: InMemoryReversalDatabase, watcher: Watcher): DecisionStore {
  return {
    find: ids => database.decisions.find(ids),
    decide: async (items: readonly DecisionToRecord[]): Promise<DecisionOutcome[]> =>
      items.map(item => {
        const { transactionId, merchantId, decision, reason } = item;
        database.decisionRows.set(transactionId, { ...item, atUs: database.nowUs() });
        database.openJobs.delete(transactionId);
        watcher.decisionWritten(item);
        if (reason) database.outbox.push({ transactionId, merchantId, reason, requestedAt: '2026-01-01T00:00:00Z' });
        return { transactionId, decision, isNew: true };
      }),
  };
}

/** NO_ACK_TOKEN: every AckReceived counts as the dispatcher's. */
export function trustingDecisions(database: InMemoryReversalDatabase): DecisionStore {
  const { decisions } = database;
  return {
    find: ids => decisions.find(ids),
    decide: items => decisions.decide(items.map(item => ({ ...item, acknowledgement: undefined }))),
  };
}

const shardLeaseMs = 5_000;
const passMs = { shards: 1_000, timers: 500, advance: 10_000 };

/** One scheduler replica: the real decision code on simulated ports. */
export class SchedulerNode {
  armReversals!: ArmReversals;
  reversals!: DecideReversals;
  private timers!: ReversalTimers;

  constructor(
    readonly process: SimProcess,
    private readonly world: SimulatedWorld,
  ) {}

  start(): void {
    const { process, world } = this;
    process.start();
    const onServer = <T extends object>(store: T): T =>
      remote(store, effect => world.network.statement(process, world.servers.scheduler, effect));
    const jobs = onServer<JobStore>(world.reversals.jobs);
    const decisions = onServer<DecisionStore>(world.decisionStore);
    const metrics = new SilentMetrics(world);
    this.armReversals = new ArmReversals({ jobs, decisions, metrics }, world.swarm.timerDelayMs);
    this.reversals = new DecideReversals({ decisions, metrics });
    const clock = { nowMs: () => process.nowMs() };
    const { timerDelayMs } = world.swarm;
    const windowMs = Math.min(defaultTimerLimits.windowMs, timerDelayMs / 2);
    const ports = { jobs, reversals: this.reversals, closer: closerOf(process, world), clock, metrics };
    this.timers = new ReversalTimers(ports, { ...defaultTimerLimits, windowMs });
    const sharing = {
      replica: process.identity,
      instance: world.swarm.isSupervised ? process.name : undefined,
      leaseMs: shardLeaseMs,
      assignment: evenShare,
    };
    this.passes(new ShardOwnership(onServer(world.shards), clock, sharing));
    this.consume(new WatchTerminals({ jobs, metrics }, world.swarm.timerDelayMs), jobs, metrics);
  }

  private passes(ownership: ShardOwnership): void {
    const { process, world, timers } = this;
    // Others judge the heartbeat, so it never slows down.
    world.every(process, passMs.shards, async () => {
      await ownership.pass();
      timers.own(ownership.shards);
    });
    world.every(process, passMs.timers, async () => {
      while (await timers.load());
      while (await timers.fire());
    });
    world.every(process, passMs.advance, () => timers.advance());
  }

  private consume(watch: WatchTerminals, jobs: JobStore, metrics: ReversalMetrics): void {
    const { process, world } = this;
    const acks = new AckReceivedConsumer(this.reversals, jobs, metrics);
    world.groups.ack.join(process, batch => acks.onAckReceived(batch as never));
    if (world.mutation === 'NO_WATCH') return;
    const Audit = transactionTerminalAuditConsumer(0);
    const audit = new Audit(watch) as { onTransactionTerminal(batch: unknown): Promise<void> };
    world.groups.audit.join(process, batch => audit.onTransactionTerminal(batch));
  }
}

/** Asks a dispatcher, unless a mutation decides by itself. */
function closerOf(process: SimProcess, world: SimulatedWorld): DeliveryCloser {
  const all = async (items: readonly CloseItem[], verdict: VerdictKind | 'OPEN') =>
    items.map(({ transactionId }) => ({ transactionId, verdict }));
  return {
    close: items => {
      if (world.mutation === 'NO_CLOSE') return all(items, 'CLOSED_TIMEOUT');
      if (world.mutation === 'HWM_ONLY') return all(items, world.areAcksDrained() ? 'CLOSED_TIMEOUT' : 'OPEN');
      return world.callDispatcher(process, node => node.dispatcher.closing.close(items));
    },
  };
}

class SilentMetrics extends ReversalMetrics {
  constructor(private readonly world: SimulatedWorld) {
    super();
  }
  override armed(): void {}
  override watched(): void {}
  override unproven(): void {}
  override asked(): void {}
  override decided(): void {}
  override decidedLate(): void {}
  override settled(): void {}
  override workParked(step: string, transactionId: number): void {
    this.world.watcher.fail('T-29', transactionId, `${step} fails by its data`);
  }
  /** A verdict that contradicts the existing decision means that a guard has failed (P-I6). */
  override contradicted(kind: string, transactionId: number): void {
    this.world.watcher.fail('P-I6', transactionId, kind);
  }
}
