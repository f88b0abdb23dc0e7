import type { Identity } from '@paycode/dto';
import { shardOf, shardsOfPartitions } from '@paycode/ownership';
import { passed } from '@paycode/service-runtime/timing';
import type { ReversalScheduler } from '../../../../apps/webhook-dispatcher/src/arming/reversal-scheduler.client';
import { DeliveryMetrics } from '../../../../apps/webhook-dispatcher/src/deliveries/deliveries.ports';
import { Dispatcher, type Gathering } from '../../../../apps/webhook-dispatcher/src/dispatcher/dispatcher';
import { TransactionTerminalConsumer } from '../../../../apps/webhook-dispatcher/src/intake/transaction-terminal.consumer';
import type { WebhookSealer } from '../../../../apps/webhook-dispatcher/src/posting/webhook-sealer';
import type { StoredNotification } from '../../../../apps/webhook-dispatcher/src/recovery/notification.store';
import { AcknowledgeByPull, RecoverNotification } from '../../../../apps/webhook-dispatcher/src/recovery/recover-notification';
import type { RouteSource } from '../../../../apps/webhook-dispatcher/src/routes/route-cache';
import { storesFor } from './dispatcher-stores.ts';
import type { SimProcess } from '../engine/sim-process.ts';
import type { Mutation } from './swarm.ts';
import { ackWindowMs } from './receivers.ts';
import type { SimulatedWorld } from './simulated-world.ts';
import { attemptsMax, shardLeaseMs } from './watcher.ts';

/** Checks everything that would reach logs and metrics (P-I14). */
class WatchedMetrics extends DeliveryMetrics {
  constructor(private readonly world: SimulatedWorld) {
    super();
  }
  override ingested(): void {}
  override conflictingContent(transactionId: number): void {
    this.world.watcher.fail('P-I10', transactionId, 'a duplicate is taken for another event');
  }
  override parked(reason: string): void {
    this.world.watcher.told(0, reason);
  }
  override attempted(): void {}
  override concluded(): void {}
  override acknowledged(): void {}
  override verdictsWaiting(): void {}
  override verdictWriteFailed(error: unknown): void {
    this.world.watcher.told(0, (error as Error).message);
  }
  override workParked(step: string, transactionId: number): void {
    this.world.watcher.fail('T-29', transactionId, `${step} fails by its data`);
  }
  override heldBack(error: unknown): void {
    this.world.watcher.told(0, (error as Error).message);
  }
}

const passMs = { shards: 1_000, recovery: 250, notices: 2_000, queues: 1_000, assignment: 200 };

/** One dispatcher replica: the real decision code on simulated ports. Killed and started, it has a new memory. */
export class DispatcherNode {
  dispatcher!: Dispatcher;
  private stores!: ReturnType<typeof storesFor>;
  private recovering!: RecoverNotification;
  private isLeaving = false;

  constructor(
    readonly process: SimProcess,
    private readonly world: SimulatedWorld,
  ) {}

  start(): void {
    const { process, world } = this;
    const without = (mutation: Mutation) => world.mutation === mutation;
    process.start();
    this.isLeaving = false;
    const stores = storesFor(
      world.tables,
      effect => world.network.statement(process, world.servers.dispatcher, effect),
      world.mutation,
    );
    this.stores = stores;
    this.dispatcher = new Dispatcher(
      {
        ...stores,
        clock: this.clock(),
        scheduler: this.scheduler(),
        routes: this.routes(),
        sealer,
        poster: world.receivers.posterOf(process, id => this.dispatcher.shards.epochOf(shardOf(id)) ?? 0),
        metrics: new WatchedMetrics(world),
      },
      {
        shardLeaseMs,
        slotsMax: without('NO_BUDGET') ? 10_000 : world.swarm.slotsMax,
        heldMax: world.swarm.heldMax,
        gathering: this.gathering(),
        replica: process.identity,
        instance: world.swarm.isSupervised ? process.name : undefined,
        rules: { attemptsMax: without('NO_AMAX') ? 100 : attemptsMax, dispatchWindowMs: world.swarm.dispatchWindowMs },
        post: { ackWindowMs: without('LATE_200') ? 60_000 : ackWindowMs, connectBudgetMs: 10_000, userAgent: 'simulation' },
      },
    );
    if (without('NO_HEARTBEAT')) Object.defineProperty(this.dispatcher.shards, 'isHeartbeatFresh', { value: true });
    if (without('NO_GRACE')) Object.defineProperty(this.dispatcher.shards, 'graceMs', { value: 0 });
    if (without('ONE_QUEUE')) this.shareQueues();
    this.recovering = this.recovery(stores.verdicts);
    this.passes();
    const consumer = new TransactionTerminalConsumer(this.dispatcher.intake, new WatchedMetrics(world));
    world.groups.terminal.join(process, batch => consumer.onTransactionTerminal(batch as never));
  }

  /** ONE_QUEUE: a merchant that hangs holds up the others of its origin. */
  private shareQueues(): void {
    const { queue } = this.dispatcher;
    const destinationOf = (Reflect.get(queue, 'destinationOf') as (merchantId: number) => object).bind(queue);
    Object.defineProperty(queue, 'destinationOf', {
      value: (merchantId: number) => ({ ...destinationOf(merchantId), merchantId: 0, pspId: null }),
    });
  }

  private gathering(): Gathering | undefined {
    const { spacingMs } = this.world.swarm;
    if (spacingMs === 0) return undefined;
    return { turn: () => passed(this.clock(), 0), beforePostMs: spacingMs, afterVerdictsMs: spacingMs };
  }

  /** The connection that holds its lock tells the process that it has ended. */
  hearsThatSessionEnded(): void {
    const { identity } = this.process;
    const { shards } = this.stores;
    const before = shards.sessionsEnded;
    shards.sessionEnded(identity);
    // A session whose beginning was never answered is none that the process knows of.
    if (shards.sessionsEnded > before) this.world.watcher.heardSessionEnded(identity);
  }

  /** SIGTERM: resolves when every shard is handed over (P-T9). */
  leave(): Promise<void> {
    this.isLeaving = true;
    this.world.groups.terminal.leave(this.process);
    return this.dispatcher.drain();
  }

  /** The merchant reads the notification; resolves to the JSON, or undefined for a 404. */
  recover(transactionId: number): Promise<string | undefined> {
    const merchantId = this.world.tables.deliveries.get(transactionId)?.merchantId ?? 0;
    const caller: Identity = { subject: '', accountType: 'MERCHANT', ownerId: merchantId, acquirer: null, roles: ['EXTERNAL'] };
    return this.recovering.recover(transactionId, caller);
  }

  private clock() {
    const { process, world } = this;
    return {
      nowMs: () => process.nowMs(),
      epochMs: () => world.wallMs(),
      after: (delayMs: number, run: () => void) => process.timer(delayMs, run),
      pollTurn: () => (world.mutation === 'NO_POLL_TURNS' ? Promise.resolve() : process.pollTurn()),
    };
  }

  private scheduler(): ReversalScheduler {
    const { process, world } = this;
    return {
      arm: async items => {
        const proven = items.map(item => ({ ...item, ackTokenHash: world.ackTokenHashOf(item.transactionId) }));
        const answer = world.callScheduler(process, node => node.armReversals.arm(proven));
        // POST_FIRST: goes on before the scheduler has answered.
        if (world.mutation === 'POST_FIRST') {
          answer.catch(() => undefined);
          return new Map(items.map(({ transactionId }) => [transactionId, null]));
        }
        const decisions = new Map((await answer).map(({ transactionId, decision }) => [transactionId, decision]));
        for (const [id, decision] of decisions) if (decision) world.watcher.armRefused(id, process.identity);
        return world.mutation === 'NO_ARM_ANSWER' ? new Map([...decisions.keys()].map(id => [id, null])) : decisions;
      },
      settle: async items => void (await world.callScheduler(process, node => node.reversals.decide(items))),
    };
  }

  private routes(): RouteSource {
    const { process, world } = this;
    const leaseMs = world.mutation === 'NO_LEASE' ? 600_000 : 1_000;
    return { routes: ids => world.network.statement(process, world.servers.config, () => world.config.routes(ids, leaseMs)) };
  }

  private recovery(verdicts: ReturnType<typeof storesFor>['verdicts']): RecoverNotification {
    const { process, world } = this;
    const find = (id: number) => world.network.statement(process, world.servers.dispatcher, () => notificationOf(world, id));
    const acknowledging = new AcknowledgeByPull(verdicts, this.dispatcher.settling);
    return new RecoverNotification(
      { find },
      { current: async () => ({ pspId: 1, version: null }) },
      world.mutation === 'PULL_FIRST' ? answeringFirst(acknowledging) : acknowledging,
      { openText: payload => world.jsonOf(payload) },
    );
  }

  private passes(): void {
    const { dispatcher, process, world } = this;
    world.every(process, passMs.shards, async () => {
      await dispatcher.shards.pass();
      const { nextPassMs } = dispatcher.shards;
      // The regular passes go on beside it, and passes never overlap.
      if (nextPassMs < passMs.shards) process.timer(nextPassMs, () => void dispatcher.shards.pass().catch(() => undefined));
    });
    world.every(process, passMs.queues, async () => {
      dispatcher.queue.tick(false);
      dispatcher.overdue.pass();
    });
    world.every(process, passMs.queues, () => dispatcher.pauses.pass());
    world.every(process, passMs.recovery, () => dispatcher.takeover.pass());
    world.every(process, passMs.notices, () => dispatcher.informational.pass());
    let wanted = '';
    world.every(process, passMs.assignment, async () => {
      if (this.isLeaving) return;
      const partitions = world.groups.terminal.partitionsOf(process);
      if (partitions.join() === wanted) return;
      wanted = 'unsettled';
      await dispatcher.pauses.known();
      dispatcher.shards.want(shardsOfPartitions(partitions, world.partitionCount));
      await dispatcher.shards.pass();
      wanted = partitions.join();
    });
  }
}

/** The body says which key it was encrypted with. */
const sealer: WebhookSealer = {
  bodyOf: (_, { keyId, encryption }) => ({ body: keyId ?? '', encryption, keyId: keyId ?? '' }),
  credentialOf: () => ({}),
};

/** PULL_FIRST: the reply does not wait for the commit. */
function answeringFirst(acknowledging: AcknowledgeByPull): Pick<AcknowledgeByPull, 'acknowledge'> {
  return {
    acknowledge: async notification => {
      // Without this guard a failed write is not noticed.
      acknowledging.acknowledge(notification).catch(() => undefined);
    },
  };
}

function notificationOf(world: SimulatedWorld, transactionId: number): StoredNotification | undefined {
  const row = world.tables.deliveries.get(transactionId);
  if (!row || row.isStub) return undefined;
  const { merchantId, isReversible, payload } = row;
  const attemptsClaimed = world.tables.attemptsClaimed(row);
  const verdict = world.tables.verdicts.get(transactionId)?.kind ?? null;
  const isReversedByCore = world.tables.reversedByCore.get(transactionId) ?? null;
  const version = world.tables.versionOf(row);
  return { transactionId, merchantId, isReversible, payload: payload!, attemptsClaimed, version, verdict, isReversedByCore };
}
