import type { Identity } from '@paycode/dto';
import { assembleDispatcher, type Dispatcher } from '../../../apps/webhook-dispatcher/src/deliveries/assemble-dispatcher';
import {
  DeliveryMetrics,
  type ReversalScheduler,
  type RouteSource,
  type WebhookSealer,
} from '../../../apps/webhook-dispatcher/src/deliveries/deliveries.ports';
import { TransactionTerminalConsumer } from '../../../apps/webhook-dispatcher/src/deliveries/events/transaction-terminal.consumer';
import { laneOf, lanesOfPartitions } from '../../../apps/webhook-dispatcher/src/lanes/lane-of';
import { AcknowledgeByPull } from '../../../apps/webhook-dispatcher/src/recovery/acknowledge-by-pull';
import { RecoverNotification } from '../../../apps/webhook-dispatcher/src/recovery/recover-notification.service';
import type { StoredNotification } from '../../../apps/webhook-dispatcher/src/recovery/recovery.ports';
import { storesFor } from '../dispatcher-database/stores-for.ts';
import type { SimProcess } from '../engine/sim-process.ts';
import type { ConsumedBatch } from './event-log.ts';
import { ackWindowMs } from './receivers.ts';
import type { World } from './world.ts';
import { attemptsMax } from './watcher.ts';

const turnMs = { lanes: 1_000, recovery: 250, notices: 2_000, assignment: 200 };
const laneLeaseMs = 10_000;

/** One dispatcher replica: the real decision code on simulated ports. Killed and started, it has a new memory. */
export class DispatcherNode {
  dispatcher!: Dispatcher;
  private recovering!: RecoverNotification;

  constructor(
    readonly process: SimProcess,
    private readonly world: World,
  ) {}

  start(): void {
    const { process, world } = this;
    process.start();
    const stores = storesFor(
      world.tables,
      effect => world.network.statement(process, world.servers.dispatcher, effect),
      world.mutation,
    );
    this.dispatcher = assembleDispatcher(
      {
        ...stores,
        clock: this.clock(),
        scheduler: this.scheduler(),
        routes: this.routes(),
        sealer,
        poster: world.receivers.posterOf(process, id => this.dispatcher.lanes.epochOf(laneOf(id)) ?? 0),
        metrics: new SilentMetrics(),
      },
      {
        laneLeaseMs,
        slotsMax: world.swarm.slotsMax,
        heldMax: world.swarm.heldMax,
        replica: process.identity,
        rules: { attemptsMax, dispatchWindowMs: world.swarm.dispatchWindowMs },
        post: { ackWindowMs, connectBudgetMs: 10_000, userAgent: 'simulation' },
      },
    );
    this.recovering = this.recovery(stores.verdicts);
    this.turns();
    const consumer = new TransactionTerminalConsumer(this.dispatcher.ingest, new SilentMetrics());
    world.groups.terminal.join(process, batch => consumer.onTransactionTerminal(batch as never));
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
      wallTime: () => new Date(world.wallMs()),
      after: (delayMs: number, run: () => void) => process.timer(delayMs, run),
      pollTurn: () => (world.mutation === 'NO_POLL_TURNS' ? Promise.resolve() : process.pollTurn()),
    };
  }

  private scheduler(): ReversalScheduler {
    const { process, world } = this;
    return {
      arm: async items => {
        const answer = world.callScheduler(process, node => node.arm.arm(items));
        // POST_FIRST: goes on before the scheduler has answered.
        if (world.mutation === 'POST_FIRST') {
          answer.catch(() => undefined);
          return new Map(items.map(({ transactionId }) => [transactionId, null]));
        }
        return new Map((await answer).map(({ transactionId, decision }) => [transactionId, decision]));
      },
      settle: async items => void (await world.callScheduler(process, node => node.decide.decide(items))),
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
    return new RecoverNotification(
      { find },
      { pspOf: async () => 1 },
      new AcknowledgeByPull(verdicts, this.dispatcher.settling),
      { openText: payload => world.jsonOf(payload) },
    );
  }

  private turns(): void {
    const { dispatcher, process, world } = this;
    world.every(process, turnMs.lanes, () => dispatcher.lanes.turn());
    world.every(process, turnMs.recovery, () => dispatcher.recover.turn());
    world.every(process, turnMs.notices, () => dispatcher.notices.turn());
    let wanted = '';
    world.every(process, turnMs.assignment, async () => {
      const partitions = world.groups.terminal.partitionsOf(process);
      if (partitions.join() === wanted) return;
      wanted = 'unsettled';
      dispatcher.lanes.want(lanesOfPartitions(partitions, world.partitionCount));
      await dispatcher.lanes.turn();
      wanted = partitions.join();
    });
  }
}

/** The body says which key it was encrypted with. */
const sealer: WebhookSealer = {
  bodyOf: (_, route) => ({ body: route.keyId ?? '', encryption: route.encryption }),
};

function notificationOf(world: World, transactionId: number): StoredNotification | undefined {
  const row = world.tables.deliveries.get(transactionId);
  if (!row || row.isStub) return undefined;
  const { merchantId, isReversible, payload } = row;
  const attemptsClaimed = world.tables.attemptsClaimed(row);
  const verdict = world.tables.verdicts.get(transactionId)?.kind ?? null;
  return { transactionId, merchantId, isReversible, payload: payload!, attemptsClaimed, verdict };
}

class SilentMetrics extends DeliveryMetrics {
  override ingested(): void {}
  override conflictingContent(): void {}
  override parked(): void {}
  override attempted(): void {}
  override concluded(): void {}
  override verdictsWaiting(): void {}
  override verdictWriteFailed(): void {}
  override heldBack(): void {}
}

export type { ConsumedBatch };
