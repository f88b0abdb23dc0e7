import { type Clock, passed } from '@paycode/timing';
import type { HeldShard } from '@paycode/ownership';
import { type Delivery, mayHaveBeenSent } from '../deliveries';
import type { RouteCache } from '../routes';
import { MerchantBacklog } from './domain/merchant-backlog';
import type { Granted, OriginQueues, SlotUse } from './domain/origin-queues';
import { HeldDeliveries } from './held-deliveries';

export interface QueueLimits {
  /** Deliveries in memory; more wait in the database. */
  heldMax: number;
}

/** How much is in memory. `oldestAgeMs`: since the receipt of the oldest that is not concluded, in milliseconds; 0: nothing is. */
export interface QueueLoad {
  held: number;
  waiting: number;
  inFlight: number;
  oldestAgeMs: number;
}

/** Where a delivery goes that comes in. */
export type Admission = 'CLAIM' | 'QUEUE' | 'LEAVE';

/** Ingest claims the first attempt of what will start within about this time. */
const soonSeconds = 2;
/** Deliveries that may wait for one endpoint however full the memory is. */
const waitingFloor = 4;
const holdMs = 1_000;
/** How long a shard that is given up waits for its claims to start, and how often it looks. */
const claimsMsMax = 3_000;
const lookMs = 20;
/** Queue of merchants whose route was never read. */
const unknownOrigin = 'unknown';

/** Deliveries in memory: waiting in the queue of their endpoint, held back for a while, or being worked on. */
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
  ) {}

  /** Who is told when something may be able to start. */
  onReady(listener: () => void): void {
    this.ready = listener;
  }

  get hasRoom(): boolean {
    return !this.isClosed && this.held.size < this.limits.heldMax;
  }

  get load(): QueueLoad {
    const oldest = this.held.oldestReceivedMs;
    const oldestAgeMs = oldest === undefined ? 0 : this.clock.nowMs() - oldest;
    return { held: this.held.size, waiting: this.queues.waiting, inFlight: this.queues.inFlight, oldestAgeMs };
  }

  /** Gives places in memory away, one request after the other: answers how many of `wanted` deliveries of a merchant it takes. */
  places(): (merchantId: number, wanted: number) => number {
    const given = new Map<string, number>();
    let total = 0;
    return (merchantId, wanted) => {
      const origin = this.originOf(merchantId);
      const before = given.get(origin) ?? 0;
      const count = Math.max(0, Math.min(wanted, this.roomAt(origin, total) - before));
      given.set(origin, before + count);
      total += count;
      return count;
    };
  }

  /**
   * Decides, one after the other, where the deliveries of a batch go. CLAIM: into memory, and it will start so soon that its insert may claim
   * attempt 1 (a crash must find what waits longer unclaimed, because a claimed one counts as sent). QUEUE: into memory. LEAVE: it waits in the
   * database, and so does everything of its merchant that comes after it.
   */
  admissions(): (merchantId: number) => Admission {
    const places = this.places();
    const left = new Set<number>();
    const ahead = new Map<string, number>();
    return merchantId => {
      if (left.has(merchantId) || this.backlog.has(merchantId) || places(merchantId, 1) === 0) {
        left.add(merchantId);
        return 'LEAVE';
      }
      const origin = this.originOf(merchantId);
      const aheadHere = ahead.get(origin) ?? 0;
      ahead.set(origin, aheadHere + 1);
      const isSoon = this.queues.waitingOf(origin) + aheadHere < this.queues.startingWithin(origin, soonSeconds);
      return isSoon && origin !== unknownOrigin ? 'CLAIM' : 'QUEUE';
    };
  }

  has(transactionId: number): boolean {
    return this.held.has(transactionId);
  }

  /** Takes deliveries to work on; those held already are left as they are. */
  accept(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) if (!this.isClosed && this.held.add(delivery)) this.enqueue(delivery);
    if (deliveries.length > 0) this.ready();
  }

  /** The next delivery with a slot at its endpoint. It must come back by `release` (the slot) and one of `finish`, `requeue` and `holdBack`. */
  next(): Granted<Delivery> | undefined {
    const granted = this.queues.next();
    if (granted) this.held.begin(granted.item);
    return granted;
  }

  release(origin: string, use: SlotUse): void {
    this.queues.release(origin, use);
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

  /** Back into the queue of its endpoint, which is known better by now. `delivery`: as it stands now. */
  requeue(delivery: Delivery): void {
    this.held.end(delivery);
    this.waitAgain(delivery);
  }

  /** Not now: it waits again after a pause of so many milliseconds. `delivery`: as it stands now. */
  holdBack(delivery: Delivery, pauseMs = holdMs): void {
    this.held.end(delivery);
    this.clock.after(pauseMs, () => this.waitAgain(delivery));
  }

  /** Drops what waits in shards that are not ours any more; what is being worked on ends by itself. */
  drop(shards: readonly HeldShard[]): void {
    const epochs = new Map(shards.map(({ shard, epoch }) => [shard, epoch]));
    this.forgetWaiting(delivery => epochs.get(delivery.shard) === delivery.epoch);
  }

  /** Drops what waits in these shards and may as well start elsewhere. */
  dropUnclaimed(shards: readonly HeldShard[]): void {
    const epochs = new Map(shards.map(({ shard, epoch }) => [shard, epoch]));
    this.forgetWaiting(delivery => !delivery.isClaimed && epochs.get(delivery.shard) === delivery.epoch);
  }

  /** Resolves when everything that is claimed in the shard, or about to be, has started; or after a few seconds. */
  async claimsStarted(shard: number): Promise<void> {
    const untilMs = this.clock.nowMs() + claimsMsMax;
    while (this.shardsWithClaims().has(shard) && this.clock.nowMs() < untilMs) await passed(this.clock, lookMs);
  }

  /** Nothing comes in any more; what is claimed still starts. */
  close(): void {
    this.isClosed = true;
    this.forgetWaiting(delivery => !delivery.isClaimed);
  }

  /** Nothing starts any more; what waits is left to whoever takes the shards. */
  shut(): void {
    this.isShut = true;
    this.forgetWaiting(() => true);
  }

  /**
   * What was never sent and has waited in its queue since before `receivedMs`: too old. The caller concludes it; until `finish` it is held, or
   * recovery would find it open and send it while its end is being written (P-I4).
   */
  takeWaitingSince(receivedMs: number): Delivery[] {
    const old = this.queues.remove(delivery => delivery.receivedMs < receivedMs && !mayHaveBeenSent(delivery));
    for (const delivery of old) this.held.begin(delivery);
    return old;
  }

  /** Takes a delivery that is only to be concluded, and holds it until `finish`; false when it is held already. */
  takeToConclude(delivery: Delivery): boolean {
    if (!this.held.add(delivery)) return false;
    this.held.begin(delivery);
    return true;
  }

  /** Once a second. `isSaturated`: this process is the bottleneck, more requests under way would only wait in it. */
  tick(isSaturated: boolean): void {
    this.queues.mayGrow = !isSaturated;
    this.queues.tick();
  }

  finished(shard: number): Promise<void> {
    return this.held.finished(shard);
  }

  /** Looked up at most once per look, however many shards ask. */
  private shardsWithClaims(): ReadonlySet<number> {
    const nowMs = this.clock.nowMs();
    if (nowMs - this.claims.atMs >= lookMs) this.claims = { atMs: nowMs, shards: this.held.shardsWithClaims() };
    return this.claims.shards;
  }

  private waitAgain(delivery: Delivery): void {
    if (!this.held.has(delivery.transactionId)) return;
    if (this.isShut || (this.isClosed && !delivery.isClaimed)) return this.held.forget(delivery.transactionId);
    this.enqueue(delivery);
    this.ready();
  }

  private enqueue(delivery: Delivery): void {
    this.queues.add(this.originOf(delivery.merchantId), delivery);
  }

  /**
   * An endpoint may hold as much as is left free for all: one that hangs takes half of the memory at most, two a third each, and there is
   * always some left for the next. `taken`: places given away already.
   */
  private roomAt(origin: string, taken: number): number {
    if (!this.hasRoom) return 0;
    const free = this.limits.heldMax - this.held.size - taken;
    return Math.max(0, Math.max(waitingFloor, free) - this.queues.waitingOf(origin));
  }

  private originOf(merchantId: number): string {
    return this.routes.lastOrigin(merchantId) ?? unknownOrigin;
  }

  private forgetWaiting(isGone: (delivery: Delivery) => boolean): void {
    for (const delivery of this.queues.remove(isGone)) this.held.forget(delivery.transactionId);
  }
}
