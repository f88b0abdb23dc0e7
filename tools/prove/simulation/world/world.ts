import { ackTokenHash } from '@paycode/crypto';
import { type AckReceived, serializeNotification } from '@paycode/dto';
import { MemoryShardStore } from '@paycode/ownership/testing';
import type { DecisionStore } from '../../../../apps/reversal-scheduler/src/reversal/reversal.ports';
import { InMemoryReversalDatabase } from '../../../../apps/reversal-scheduler/src/reversal/testing/in-memory-reversal-database';
import { DispatcherTables } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/dispatcher-tables';
import { Network, type SimServer } from '../engine/network.ts';
import { SimProcess } from '../engine/sim-process.ts';
import { Random, Timeline } from '../engine/timeline.ts';
import { ConfigService } from './config-service.ts';
import { DispatcherNode } from './dispatcher-node.ts';
import { ConsumerGroup, EventLog } from './event-log.ts';
import { merchants, PaymentCore, sampleNotification, simulatedShards } from './payment-core.ts';
import { coldMerchant, Receivers, sharedOrigin } from './receivers.ts';
import { overwritingDecisions, SchedulerNode, trustingDecisions } from './scheduler-node.ts';
import type { DispatcherDoor, SchedulerDoor, SimulatedWorld } from './simulated-world.ts';
import { ColdFleet, SilentNeighbour } from './slow-merchants.ts';
import { type Mutation, type Swarm, swarmOf } from './swarm.ts';
import { Watcher } from './watcher.ts';

/** Shorter intervals are of loops that look for work. */
const heartbeatMs = 1_000;
const slotFloor = 4;

/** Why the scheduler parks an AckReceived that somebody else wrote. */
const unproven = 'it does not prove that the dispatcher wrote it';
const ackTokenOf = (transactionId: number) => String(transactionId).padStart(22, 't');

const server = (name: SimServer['name']): SimServer => ({ name, isDown: false });

/** Two dispatchers, two schedulers, their databases, the event log, merchants and time: everything of one simulation. */
export class World implements SimulatedWorld {
  readonly timeline: Timeline;
  readonly swarm: Swarm;
  readonly network: Network;
  readonly watcher: Watcher;
  readonly config: ConfigService;
  readonly receivers: Receivers;
  readonly core: PaymentCore;
  readonly silentNeighbour = new SilentNeighbour(this);
  readonly coldFleet = new ColdFleet(this);
  readonly partitionCount = 4;
  readonly servers = {
    dispatcher: server('dispatcher database'),
    scheduler: server('scheduler database'),
    config: server('notification-config'),
    kafka: server('event log'),
  };
  readonly tables: DispatcherTables;
  readonly reversals: InMemoryReversalDatabase;
  readonly decisionStore: DecisionStore;
  readonly shards = new MemoryShardStore(simulatedShards.length);
  readonly logs: { terminal: EventLog; ack: EventLog };
  readonly groups: { terminal: ConsumerGroup; ack: ConsumerGroup; audit: ConsumerGroup };
  readonly dispatchers: DispatcherNode[];
  readonly schedulers: SchedulerNode[];
  /** Skew of the wall clocks, which no decision may read. */
  wallSkewMs = 0;
  /** Without faults and new payments most loops find nothing for minutes, so they may run less often. */
  slowness = 1;
  private reversalsRelayed = 0;
  /** Somebody who may write to the topic AckReceived and has not armed a payment. A chance of its own leaves the history of a seed as it is. */
  private readonly forger: Random;

  constructor(
    seed: number,
    readonly mutation?: Mutation,
  ) {
    this.timeline = new Timeline(seed);
    this.forger = new Random(seed);
    this.swarm = swarmOf(this.timeline.random);
    this.network = new Network(this.timeline, this.swarm.network);
    this.watcher = new Watcher(this.timeline);
    this.config = new ConfigService(this.timeline);
    for (const { merchantId, origin } of merchants) this.config.add(merchantId, origin);
    for (const { merchantId, origin, path } of [...Object.values(sharedOrigin), coldMerchant])
      this.config.add(merchantId, origin, path);
    this.tables = new DispatcherTables(simulatedShards, () => this.timeline.nowMs, this.watcher);
    this.reversals = new InMemoryReversalDatabase(() => Math.round(this.timeline.nowMs * 1_000), this.watcher);
    this.decisionStore = this.decisions();
    this.watcher.tables = this.tables;
    this.watcher.isAlive = identity => this.dispatchers.some(({ process }) => process.isAlive && process.identity === identity);
    this.watcher.hasJob = id => this.reversals.jobRows.has(id);
    this.receivers = this.openReceivers();
    this.core = new PaymentCore(this);
    this.logs = { terminal: new EventLog(this.timeline, this.partitionCount), ack: new EventLog(this.timeline, 1) };
    this.groups = this.openGroups();
    const process = (name: string) => new SimProcess(name, this.timeline);
    this.dispatchers = ['D1', 'D2'].map(name => new DispatcherNode(process(name), this));
    this.schedulers = ['S1', 'S2'].map(name => new SchedulerNode(process(name), this));
  }

  private decisions(): DecisionStore {
    if (this.mutation === 'DEC_NOCAS') return overwritingDecisions(this.reversals, this.watcher);
    return this.mutation === 'NO_ACK_TOKEN' ? trustingDecisions(this.reversals) : this.reversals.decisions;
  }

  wallMs(): number {
    return Date.UTC(2026, 0, 1) + this.timeline.nowMs + this.wallSkewMs;
  }

  /** A loop of a process: the next pass starts when the former has ended; a failed one is repeated. */
  every(process: SimProcess, intervalMs: number, work: () => Promise<unknown>): void {
    const pass = () => {
      // Others judge the heartbeat, so it never slows down.
      const pauseMs = intervalMs < heartbeatMs ? intervalMs * this.slowness : intervalMs;
      const again = () => void process.timer(pauseMs, pass);
      work().then(again, again);
    };
    process.timer(this.timeline.random.between(0, intervalMs), pass);
  }

  callScheduler<R>(from: SimProcess, handle: (node: SchedulerDoor) => Promise<R>): Promise<R> {
    const node = this.timeline.random.pick(this.schedulers);
    return this.network.call(from, node.process, () => handle(node));
  }

  callDispatcher<R>(from: SimProcess, handle: (node: DispatcherDoor) => Promise<R>): Promise<R> {
    const node = this.timeline.random.pick(this.dispatchers);
    return this.network.call(from, node.process, () => handle(node));
  }

  /** HWM_ONLY: nothing waits in the topic. */
  areAcksDrained(): boolean {
    return this.logs.ack.partitions[0]!.every(({ key }) => this.reversals.decisionRows.has(Number(key)));
  }

  ackTokenHashOf(transactionId: number): string {
    return ackTokenHash(ackTokenOf(transactionId));
  }

  sealedOf(transactionId: number, merchantId: number): string {
    return `sealed..${transactionId}.${merchantId}.tag`;
  }

  jsonOf(payload: string): string {
    const [, , transactionId, merchantId] = payload.split('.');
    return serializeNotification(sampleNotification(Number(transactionId), Number(merchantId)));
  }

  /** Ends all faults: servers come back, no message is lost any more, receivers answer. */
  calmDown(): void {
    this.timeline.trace('faults end');
    Object.assign(this.swarm.network, { lostBefore: 0, lostAfter: 0, duplicated: 0, lateRarity: Number.MAX_SAFE_INTEGER });
    Object.assign(this.swarm, { lostEvents: 0, duplicateEvents: 0, lateEvents: 0, crashAtAwait: 0 });
    this.slowness = 4;
    for (const server of Object.values(this.servers)) server.isDown = false;
    this.receivers.calmDown();
    this.silentNeighbour.schedule();
    this.coldFleet.schedule();
  }

  /** Runs the relays of both services, at least once each. */
  relay(): void {
    if (this.servers.kafka.isDown) return;
    if (this.dispatchers.some(({ process }) => process.isAlive)) this.relayAcks();
    if (this.schedulers.some(({ process }) => process.isAlive)) this.relayReversals();
  }

  private relayAcks(): void {
    if (this.core.announced.length > 0 && this.forger.chance(0.02)) this.forgeAck();
    for (const { id, transactionId, data } of [...this.tables.outbox.values()].slice(0, 20)) {
      const ack = { ...(data as AckReceived), ackToken: ackTokenOf(transactionId) };
      this.logs.ack.append(0, String(transactionId), ack);
      if (this.timeline.random.chance(0.1)) this.timeline.faults.add('AckReceived published twice');
      else this.tables.outbox.delete(id);
    }
  }

  /** With no token, or with one that was published for another payment. */
  private forgeAck(): void {
    this.timeline.faults.add('AckReceived forged');
    const { announced } = this.core;
    const [transactionId, other] = [this.forger.pick(announced), this.forger.pick(announced)];
    const ackToken = this.forger.chance(0.5) || other === transactionId ? undefined : ackTokenOf(other);
    const merchantId = merchants[0]!.merchantId;
    const acknowledgedAt = new Date(this.wallMs()).toISOString();
    const data: AckReceived = {
      transactionId,
      merchantId,
      source: 'WEBHOOK',
      attempt: 1,
      elapsedMs: 5,
      acknowledgedAt,
      ackToken,
    };
    this.logs.ack.append(0, String(transactionId), data);
  }

  private relayReversals(): void {
    const { outbox } = this.reversals;
    if (this.reversalsRelayed > 0 && this.timeline.random.chance(0.1)) this.core.reverse(outbox[this.reversalsRelayed - 1]!);
    while (this.reversalsRelayed < outbox.length) this.core.reverse(outbox[this.reversalsRelayed++]!);
  }

  private openGroups(): World['groups'] {
    const group = (log: EventLog, minAgeMs: number, lost: () => number) =>
      new ConsumerGroup(this.timeline, {
        log,
        minAgeMs,
        lost,
        pollMs: () => 150 * this.slowness,
        isDown: () => this.servers.kafka.isDown,
        parked: reason => {
          if (log !== this.logs.ack || reason !== unproven) this.watcher.fail('T-19', 0, `parked: ${reason}`);
        },
      });
    return {
      terminal: group(this.logs.terminal, 0, () => this.swarm.lostEvents),
      ack: group(this.logs.ack, 0, () => 0),
      audit: group(this.logs.terminal, this.swarm.auditDelayMs, () => 0),
    };
  }

  private openReceivers(): Receivers {
    const { watcher } = this;
    return new Receivers({
      timeline: this.timeline,
      swarm: this.swarm,
      isOurFault: this.mutation !== 'OUR_FAULTS',
      isAlwaysStale: this.mutation === 'REPEAT_ALWAYS',
      opensLate: this.mutation === 'ARM_FIRST',
      knowsCongestion: this.mutation !== 'OWN_CONGESTION',
      // The sockets of a process, and beyond them four of each group of merchants that share slots (P-I12, P-1.9).
      opened: (transactionId, count) => {
        if (count > this.swarm.slotsMax + slotFloor * (merchants.length + Object.keys(sharedOrigin).length + 1))
          watcher.fail('P-I12', transactionId, `${count} open requests`);
      },
      posted: (request, post) => {
        const transactionId = Number(request.headers['x-webhook-transaction-id']);
        const { merchantId } = this.tables.deliveries.get(transactionId)!;
        // A repeat on a fresh socket is the same request of the same attempt (P-T7, A-52).
        if (!request.onFreshSocket && this.config.isReplaced(merchantId, Number(request.body)))
          watcher.fail('P-I11', transactionId, `started with key ${request.body}, which was replaced`);
        watcher.posted(transactionId, post);
      },
      answered: ({ transactionId, status, isInTime, process }) => {
        const shard = this.tables.deliveries.get(transactionId)!.shard;
        const epoch = watcher.ghost(transactionId).posts.at(-1)!.epoch;
        if (status === 200 && isInTime) watcher.acknowledged(transactionId, process, { shard, epoch });
      },
    });
  }
}
