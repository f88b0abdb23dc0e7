import { type HeldShard, type ShardListener, ShardOwnership, type ShardStore } from '@paycode/ownership';
import type { FlushPauses } from '@paycode/persistence';
import { type Clock, passed } from '@paycode/service-runtime/timing';
import { PrepareAttempt } from '../arming/prepare-attempt';
import type { ReversalScheduler } from '../arming/reversal-scheduler.client';
import type { DeliveryMetrics, DeliveryStore } from '../deliveries/deliveries.ports';
import type { AttemptRules } from '../deliveries/domain/attempt-rules';
import type { Delivery } from '../deliveries/domain/delivery';
import type { InformationalStore } from '../informational/informational.store';
import { RepeatInformational } from '../informational/repeat-informational';
import type { FormerCells } from '../cells/former-cells';
import type { PartitionRanges } from '../cells/partition-range';
import { RecordDeliveries } from '../intake/record-deliveries';
import { EndpointPauses, type PauseReader } from '../pausing/endpoint-pauses';
import { AckDeadlines } from '../posting/ack-deadlines';
import { DispatchWebhook } from '../posting/dispatch-webhook';
import type { HandshakeGate } from '../posting/handshake-gate';
import { ConnectFirst, type PostOptions, PostWebhook, type WebhookPoster } from '../posting/post-webhook';
import type { WebhookSealer } from '../posting/webhook-sealer';
import { DeliveryQueue, type QueueLoad } from '../queueing/delivery-queue';
import { OriginQueues } from '../queueing/domain/origin-queues';
import { RefillQueues } from '../queueing/refill-queues';
import { RouteCache, type RouteSource } from '../routes/route-cache';
import { CloseOverdue } from '../takeover/close-overdue';
import { TakeOverDeliveries } from '../takeover/take-over-deliveries';
import { CloseDeliveries, ConcludeDelivery, RecordVerdict } from '../verdicts/conclude-delivery';
import { SettleReversals } from '../verdicts/settle-reversals';
import type { VerdictStore } from '../verdicts/verdict.store';

/** All connections of a dispatcher to the outside. */
export interface DispatcherPorts {
  clock: Clock;
  shards: ShardStore;
  deliveries: DeliveryStore;
  ranges: Pick<PartitionRanges, 'rangeOf'>;
  /** Default: none. */
  former?: Pick<FormerCells, 'ask'>;
  verdicts: VerdictStore;
  informational: InformationalStore;
  pauses: PauseReader;
  scheduler: ReversalScheduler;
  routes: RouteSource;
  sealer: WebhookSealer;
  poster: WebhookPoster;
  metrics: DeliveryMetrics;
  /** Default: none. */
  gate?: Pick<HandshakeGate, 'enter'>;
  /** Receives a function that reads the load, for metrics. Default: none. */
  showLoad?(read: () => QueueLoad & { endpointsPaused: number }): void;
}

export interface DispatcherSettings {
  /** Identity of this process; a restarted one has another. */
  replica: string;
  /** INSTANCE_ID (P-T10). Default: none. */
  instance?: string;
  shardLeaseMs: number;
  rules: AttemptRules;
  post: PostOptions;
  /** Sockets for deliveries. */
  slotsMax: number;
  /** Deliveries in memory. */
  heldMax: number;
  /** URL of a sandbox's relays, below which each path segment is a receiver of its own. Default: none. */
  relaysUrl?: string | undefined;
  /** Default: deliveries share a call or a statement only with those that came during the one before. */
  gathering?: Gathering;
}

/** How deliveries wait for each other, so that more of them share a call or a statement. */
export interface Gathering {
  /** Resolves in the next turn of the event loop. A call or a statement that follows a rest waits for it. */
  turn(): Promise<void>;
  /** Pause after a call or a statement before the POST that served several deliveries, in milliseconds. One that is alone waits for no others. */
  beforePostMs: number;
  /** Pause after each statement that stored verdicts, in milliseconds: only its offset and memory wait for a verdict. */
  afterVerdictsMs: number;
}

/**
 * One dispatcher replica: its use cases connected over ports, in the order of a delivery's path. It has no framework and no timers of its
 * own.
 */
export class Dispatcher {
  readonly shards: ShardOwnership;
  readonly routes: RouteCache;
  readonly pauses: EndpointPauses;
  readonly queue: DeliveryQueue;
  readonly intake: RecordDeliveries;
  readonly settling: SettleReversals;
  readonly closing: CloseDeliveries;
  readonly takeover: TakeOverDeliveries;
  readonly informational: RepeatInformational;
  readonly overdue: CloseOverdue;

  /** Makes the parts; each receives those before it. */
  constructor(ports: DispatcherPorts, settings: DispatcherSettings) {
    const { clock, metrics, deliveries, scheduler } = ports;
    const { replica, instance, rules } = settings;
    const flushing = flushingOf(settings, clock);
    const shards = new ShardOwnership(ports.shards, clock, { replica, instance, leaseMs: settings.shardLeaseMs });
    const routes = new RouteCache(ports.routes, clock, settings);
    const pauses = new EndpointPauses(ports.pauses, clock);
    const queues = new OriginQueues<Delivery>({ slotsMax: settings.slotsMax });
    const queue = new DeliveryQueue(queues, routes, clock, { heldMax: settings.heldMax }, pauses);
    this.intake = new RecordDeliveries(
      {
        store: deliveries,
        ranges: ports.ranges,
        former: ports.former,
        shards,
        queue,
        routes,
        clock,
        flushing: flushing.beforePost,
      },
      metrics,
    );
    const deadlines = new AckDeadlines(clock);
    const connecting = new ConnectFirst(ports.poster, deadlines, clock, settings.post);
    const preparing = new PrepareAttempt(routes, shards, deliveries, scheduler, {
      clock,
      flushing: flushing.beforePost,
      connecting,
    });
    const posting = new PostWebhook(ports.poster, ports.sealer, deadlines, clock, settings.post);
    this.settling = new SettleReversals(scheduler, clock, metrics);
    const verdicts = new RecordVerdict(ports.verdicts, shards, this.settling, metrics, { clock, flushing: flushing.verdicts });
    const concluding = new ConcludeDelivery(verdicts, ports.informational, rules, clock, metrics);
    this.closing = new CloseDeliveries(deliveries, metrics);
    const refill = new RefillQueues(deliveries, queue, shards);
    const takeover = new TakeOverDeliveries(deliveries, queue, concluding, shards, { rules, clock, refill });
    const dispatch = new DispatchWebhook(queue, preparing, posting, concluding, { clock, takeover, metrics, gate: ports.gate });
    this.informational = new RepeatInformational(ports.informational, queue, shards, clock);
    this.overdue = new CloseOverdue(queue, concluding, rules, { clock, takeover });
    [this.shards, this.routes, this.pauses, this.queue, this.takeover] = [shards, routes, pauses, queue, takeover];
    // The parts that report to each other are connected after all were made. There is no other late binding.
    queue.onReady(() => dispatch.startAll());
    pauses.onPaused(() => queue.leavePaused());
    shards.onChange(new ShardChanges(queue, takeover));
    ports.showLoad?.(() => ({ ...queue.load, endpointsPaused: pauses.count }));
  }

  /**
   * Starts no more POSTs, lets those in flight end, hands the shards over (P-T9). The caller must keep calling
   * `shards.pass()`.
   */
  async drain(): Promise<void> {
    this.queue.close();
    await this.shards.leave();
    this.queue.shut();
    await this.settling.drain();
  }
}

function flushingOf({ gathering }: DispatcherSettings, clock: Clock): { beforePost: FlushPauses; verdicts: FlushPauses } {
  if (!gathering) return { beforePost: {}, verdicts: {} };
  const { turn, beforePostMs, afterVerdictsMs } = gathering;
  return {
    beforePost: { turn, spacing: served => (served > 1 ? passed(clock, beforePostMs) : undefined) },
    verdicts: { turn, spacing: () => passed(clock, afterVerdictsMs) },
  };
}

/** Reacts to changes of shards: recovers gained ones, drops lost ones, and finishes claimed work before it gives one up. */
export class ShardChanges implements ShardListener {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly takeover: TakeOverDeliveries,
  ) {}

  gained(shards: readonly HeldShard[]): void {
    this.takeover.gained(shards);
  }

  /** From here on new rows are left to the next owner; deliveries claimed before still start first. */
  async ending(shard: HeldShard): Promise<void> {
    this.takeover.lost([shard]);
    this.queue.dropUnclaimed([shard]);
    await this.queue.claimsStarted(shard.shard);
  }

  lost(shards: readonly HeldShard[]): void {
    this.takeover.lost(shards);
    this.queue.drop(shards);
  }

  finished(shard: number): Promise<void> {
    return this.queue.finished(shard);
  }
}
