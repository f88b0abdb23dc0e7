import { type Clock, passed } from '@paycode/service-runtime/timing';
import type { HeldShard } from '@paycode/ownership';
import { mayHaveBeenSent } from '../deliveries/domain/attempt-rules';
import { type Delivery, isBegun } from '../deliveries/domain/delivery';
import type { EndpointPauses } from '../pausing/endpoint-pauses';
import type { RouteCache } from '../routes/route-cache';
import { MerchantBacklog } from './domain/merchant-backlog';
import type { Granted, OriginQueues, SlotUse } from './domain/origin-queues';
import type { Destination } from './domain/origin-share';
import { HeldDeliveries } from './held-deliveries';

export interface QueueLimits {
  /** Deliveries in memory; more wait in the database. */
  heldMax: number;
}

/**
 * Number of deliveries in memory. `oldestAgeMs`: time since the receipt of the oldest unconcluded one, in milliseconds; 0 when
 * there is none. `oldestUnattemptedAgeMs`: the same of the oldest one that was never sent and waits for this process; a delivery
 * that waits because its own receiver hangs is not counted.
 */
export interface QueueLoad {
  held: number;
  waiting: number;
  inFlight: number;
  oldestAgeMs: number;
  oldestUnattemptedAgeMs: number;
}

/** Where a new delivery goes. */
export type Admission = 'CLAIM' | 'QUEUE' | 'LEAVE';

/** The insert claims the first attempt of a delivery that will start within about this time. */
const soonSeconds = 2;
/** So many deliveries of one merchant may always wait, unless its PSP has filled the memory. */
const waitingFloor = 4;
const holdMs = 1_000;
/** How long a shard that is being given up waits for its claimed deliveries to start, and how often it checks. */
const claimsMsMax = 3_000;
const lookMs = 20;
/** Queue for merchants whose route has not been read yet. */
const unknownOrigin = 'unknown';

/** Deliveries in memory: waiting in the queue of their merchant at its endpoint, held back for a while, or being worked on. */
export class DeliveryQueue {
  private readonly held = new HeldDeliveries();
  private isClosed = false;
  private isShut = false;
  private claims: { atMs: number; shards: ReadonlySet<number> } = { atMs: Number.NEGATIVE_INFINITY, shards: new Set() };
  /** Merchants whose further deliveries wait in the database. */
  readonly backlog = new MerchantBacklog();
  private ready: () => void = () => undefined;

  constructor(
    private readonly queues: OriginQueues<Delivery>,
    private readonly routes: RouteCache,
    private readonly clock: Clock,
    private readonly limits: QueueLimits,
    private readonly pauses: Pick<EndpointPauses, 'isPaused'> = { isPaused: () => false },
  ) {}

  /** Sets the listener that is called when a delivery may be able to start. */
  onReady(listener: () => void): void {
    this.ready = listener;
  }

  get hasRoom(): boolean {
    return !this.isClosed && this.held.size < this.limits.heldMax;
  }

  get load(): QueueLoad {
    const unattempted = this.held.oldestUnattemptedMs(({ merchantId }) => !this.queues.isHeldUp(this.destinationOf(merchantId)));
    return {
      held: this.held.size,
      waiting: this.queues.waiting,
      inFlight: this.queues.inFlight,
      oldestAgeMs: this.ageOf(this.held.oldestReceivedMs),
      oldestUnattemptedAgeMs: this.ageOf(unattempted),
    };
  }

  /** Returns a function that reserves places in memory: it answers how many of the `wanted` deliveries of a merchant fit. */
  places(): (merchantId: number, wanted: number) => number {
    const given = new Reservations();
    return (merchantId, wanted) => {
      const to = this.destinationOf(merchantId);
      const count = Math.max(0, Math.min(wanted, this.roomFor(to, given)));
      given.add(to, count);
      return count;
    };
  }

  /**
   * Decides, one after the other, where the deliveries of a batch go. CLAIM: into memory, and it will start so soon that its insert may
   * claim attempt 1. (A delivery that waits longer must be unclaimed, because after a crash a claimed one counts as sent.) QUEUE: into
   * memory. LEAVE: it waits in the database, and so do all later deliveries of its merchant.
   */
  admissions(): (merchantId: number) => Admission {
    const places = this.places();
    const left = new Set<number>();
    const ahead = new Reservations();
    return merchantId => {
      if (left.has(merchantId) || this.backlog.has(merchantId) || places(merchantId, 1) === 0) {
        left.add(merchantId);
        return 'LEAVE';
      }
      const to = this.destinationOf(merchantId);
      const isSoon = this.queues.startsWithin(to, soonSeconds, ahead.of(to));
      ahead.add(to, 1);
      return isSoon && to.origin !== unknownOrigin ? 'CLAIM' : 'QUEUE';
    };
  }

  has(transactionId: number): boolean {
    return this.held.has(transactionId);
  }

  /** Takes deliveries to work on; deliveries that are already held do not change. */
  accept(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) if (!this.isClosed && this.held.add(delivery)) this.enqueue(delivery);
    if (deliveries.length > 0) this.ready();
  }

  /**
   * The next delivery with a slot for its merchant. The caller must return the slot by `release`, and the delivery by `finish`, `requeue` or
   * `holdBack`.
   */
  next(): Granted<Delivery> | undefined {
    const granted = this.queues.next();
    if (granted) this.held.begin(granted.item);
    return granted;
  }

  release(granted: Granted<Delivery>, use: SlotUse): void {
    this.queues.release(granted, use);
    this.ready();
  }

  /** Its request has started. */
  posted(delivery: Delivery): void {
    this.held.posted(delivery.transactionId);
  }

  finish(delivery: Delivery): void {
    this.held.forget(delivery.transactionId);
    this.held.end(delivery);
  }

  /** Puts it back into the queue of its endpoint, which may be another one by now. `delivery`: its present state. */
  requeue(delivery: Delivery): void {
    this.held.end(delivery);
    this.waitAgain(delivery);
  }

  /** Puts it back into its queue after a pause in milliseconds. `delivery`: its present state. */
  holdBack(delivery: Delivery, pauseMs = holdMs): void {
    this.held.end(delivery);
    this.clock.after(pauseMs, () => this.waitAgain(delivery));
  }

  /** Drops the waiting deliveries of lost shards; those being worked on end by themselves. */
  drop(shards: readonly HeldShard[]): void {
    const epochs = new Map(shards.map(({ shard, epoch }) => [shard, epoch]));
    this.forgetWaiting(delivery => epochs.get(delivery.shard) === delivery.epoch);
  }

  /** Drops the waiting, unclaimed deliveries of these shards; the next owner can start them. */
  dropUnclaimed(shards: readonly HeldShard[]): void {
    const epochs = new Map(shards.map(({ shard, epoch }) => [shard, epoch]));
    this.forgetWaiting(delivery => !delivery.isClaimed && epochs.get(delivery.shard) === delivery.epoch);
  }

  /** Resolves when every delivery of the shard that is claimed, or being claimed, has started, or after a few seconds. */
  async claimsStarted(shard: number): Promise<void> {
    const untilMs = this.clock.nowMs() + claimsMsMax;
    while (this.shardsWithClaims().has(shard) && this.clock.nowMs() < untilMs) await passed(this.clock, lookMs);
  }

  /** Leaves what an endpoint that is paused now has not begun to the database. */
  leavePaused(): void {
    const left = this.queues.remove(delivery => this.isPaused(delivery));
    for (const delivery of left) this.leave(delivery);
  }

  /** Accepts no more deliveries; claimed ones still start. */
  close(): void {
    this.isClosed = true;
    this.forgetWaiting(delivery => !delivery.isClaimed);
  }

  /** Starts no more deliveries; waiting ones are left to the next owner of their shard. */
  shut(): void {
    this.isShut = true;
    this.forgetWaiting(() => true);
  }

  /**
   * Takes the deliveries that were never sent and were received before `receivedMs`: they are too old. The caller concludes them.
   * They stay held until `finish`; otherwise recovery could find one open and send it while its verdict is being written (P-I4).
   */
  takeWaitingSince(receivedMs: number): Delivery[] {
    const old = this.queues.remove(delivery => delivery.receivedMs < receivedMs && !mayHaveBeenSent(delivery));
    for (const delivery of old) this.held.begin(delivery);
    return old;
  }

  /** Holds a delivery that is only to be concluded, until `finish`; false when it is held already. */
  takeToConclude(delivery: Delivery): boolean {
    if (!this.held.add(delivery)) return false;
    this.held.begin(delivery);
    return true;
  }

  /** Called once a second. `isSaturated`: this process is the bottleneck, so more requests in flight would only wait in it. */
  tick(isSaturated: boolean): void {
    this.queues.mayGrow = !isSaturated;
    this.queues.tick();
  }

  finished(shard: number): Promise<void> {
    return this.held.finished(shard);
  }

  /** Computed at most once per check, however many shards wait. */
  private shardsWithClaims(): ReadonlySet<number> {
    const nowMs = this.clock.nowMs();
    if (nowMs - this.claims.atMs >= lookMs) this.claims = { atMs: nowMs, shards: this.held.shardsWithClaims() };
    return this.claims.shards;
  }

  private ageOf(receivedMs: number | undefined): number {
    return receivedMs === undefined ? 0 : this.clock.nowMs() - receivedMs;
  }

  private waitAgain(delivery: Delivery): void {
    if (!this.held.has(delivery.transactionId)) return;
    if (this.isShut || (this.isClosed && !delivery.isClaimed)) return this.held.forget(delivery.transactionId);
    this.enqueue(delivery);
    this.ready();
  }

  private enqueue(delivery: Delivery): void {
    if (this.isPaused(delivery)) return this.leave(delivery);
    this.queues.add(this.destinationOf(delivery.merchantId), delivery);
  }

  /** Claimed deliveries continue: they may count as sent, and their reversal may be armed. */
  private isPaused(delivery: Delivery): boolean {
    return !isBegun(delivery) && this.pauses.isPaused(this.originOf(delivery.merchantId));
  }

  /** Its row waits in the database; that of a repeat is due again after its lease. */
  private leave({ transactionId, merchantId, isRepeat }: Delivery): void {
    this.held.forget(transactionId);
    if (!isRepeat) this.backlog.readAgain(merchantId);
  }

  /**
   * A merchant may hold as many deliveries as there are free places, less half of what its neighbours at the origin hold. So one hanging merchant
   * takes at most half of the memory, all merchants of an origin together two thirds, and there is always room for another. A full queue of one merchant
   * leaves room for its neighbours. Each delivery takes a free place too, so several at once get half of the difference. A paused endpoint has no
   * places. `given`: places reserved already.
   */
  private roomFor(to: Destination, given: Reservations): number {
    if (!this.hasRoom || this.pauses.isPaused(to.origin)) return 0;
    const waiting = this.queues.waitingOf(to);
    const reserved = given.of(to);
    const own = waiting.merchant + reserved.merchant;
    const free = this.limits.heldMax - this.held.size - given.total;
    const floor = waiting.psp + reserved.psp < 2 * free ? waitingFloor : 0;
    const neighbours = waiting.origin + reserved.origin - own;
    return Math.max(floor - own, Math.ceil((free - Math.ceil(neighbours / 2) - own) / 2));
  }

  private originOf(merchantId: number): string {
    return this.routes.lastOrigin(merchantId) ?? unknownOrigin;
  }

  private destinationOf(merchantId: number): Destination {
    return { origin: this.originOf(merchantId), merchantId, pspId: this.routes.lastPspId(merchantId) };
  }

  private forgetWaiting(isGone: (delivery: Delivery) => boolean): void {
    for (const delivery of this.queues.remove(isGone)) this.held.forget(delivery.transactionId);
  }
}

/** Places that were given and are not taken yet, by what shares them. */
class Reservations {
  total = 0;
  private readonly counts = new Map<string, number>();

  of(to: Destination): { merchant: number; psp: number; origin: number } {
    const [merchant, psp, origin] = keysOf(to).map(key => this.counts.get(key) ?? 0) as [number, number, number];
    return { merchant, psp, origin };
  }

  add(to: Destination, count: number): void {
    this.total += count;
    for (const key of keysOf(to)) this.counts.set(key, (this.counts.get(key) ?? 0) + count);
  }
}

function keysOf({ origin, merchantId, pspId }: Destination): [string, string, string] {
  return [`${merchantId} ${origin}`, `psp ${pspId} ${origin}`, origin];
}
