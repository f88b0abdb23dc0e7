import { DeadlineHeap } from '@paycode/service-runtime/timing/deadline-heap';
import {
  type Destination,
  FifoQueue,
  type MerchantQueue,
  orderOf,
  OriginShare,
  SlotCap,
  slotFloor,
  slotsAtFirst,
} from './origin-share';

export interface SlotBudget {
  /** Sockets of this process for deliveries, over all origins. */
  slotsMax: number;
}

/** Slots of an origin beyond its caps, for merchants that hold few. Those that do not answer need few: a probe each, in turn. */
export const reserves = { answering: 2 * slotsAtFirst, silent: slotsAtFirst / 2 };

/** Measurements of a merchant are kept this long after its last request. */
const idleSecondsMax = 300;

/**
 * How a slot was used, for the caps. ANSWERED_SLOWLY: the receiver took most of the time; only then would more slots make its
 * deliveries faster.
 */
export type SlotUse = 'ANSWERED' | 'ANSWERED_SLOWLY' | 'TIMED_OUT' | 'UNUSED';

/** A slot, with the item that may start in it. */
export interface Granted<T> {
  readonly origin: string;
  readonly item: T;
  readonly queue: MerchantQueue<T>;
  /** The share that gave a slot of its reserve. */
  readonly reservedIn: OriginShare<T> | undefined;
}

interface Origin<T> {
  /** Merchants whose last request was answered in time, and new ones. */
  readonly answering: OriginShare<T>;
  /** Merchants whose last request timed out. */
  readonly silent: OriginShare<T>;
  readonly queues: Map<number, MerchantQueue<T>>;
}

/**
 * One queue per merchant and origin, and max-min fair sharing of the process's sockets: a free slot goes to the share that has the fewest. So a hanging
 * merchant may use slots that nobody else needs, and loses them to the first that needs them. Merchants that do not answer share slots of their own, so
 * they slow down none that answers at the same origin. Four slots of each share are outside the budget. A running request is never aborted to free a slot
 * (P-1.9, P-I12).
 */
export class OriginQueues<T> {
  /** False while this process is the bottleneck: more requests in flight would only wait in it. */
  mayGrow = true;
  private readonly origins = new Map<string, Origin<T>>();
  private readonly ready = new DeadlineHeap<OriginShare<T>>();
  private turn = 0;
  private waitingCount = 0;
  private inFlightCount = 0;

  constructor(private readonly budget: SlotBudget) {}

  get waiting(): number {
    return this.waitingCount;
  }

  get inFlight(): number {
    return this.inFlightCount;
  }

  /** Items that wait: of this merchant at this origin, of its PSP there, and of all merchants there. */
  waitingOf({ origin, merchantId, pspId }: Destination): { merchant: number; psp: number; origin: number } {
    const found = this.origins.get(origin);
    if (!found) return { merchant: 0, psp: 0, origin: 0 };
    const { answering, silent, queues } = found;
    return {
      merchant: queues.get(merchantId)?.line.length ?? 0,
      psp: answering.waitingOfPsp(pspId) + silent.waitingOfPsp(pspId),
      origin: answering.waiting + silent.waiting,
    };
  }

  capOf(to: Destination): number {
    return this.queueOf(to).cap.value;
  }

  /** Whether what waits for this merchant waits for its receiver: there is no slot for it, and this process could do more. */
  isHeldUp({ origin, merchantId }: Destination): boolean {
    const queue = this.origins.get(origin)?.queues.get(merchantId);
    return queue !== undefined && this.mayGrow && !queue.share.hasSlotFor(queue);
  }

  /** Whether a new item would start within about `seconds`. `ahead`: those that were added in thought before it. */
  startsWithin(to: Destination, seconds: number, ahead: { merchant: number; origin: number }): boolean {
    const queue = this.queueOf(to);
    const { share, line, cap, answersPerSecond } = queue;
    const ofMerchant = Math.max(Math.min(cap.value, share.fairSlotsOf(queue)), Math.floor(answersPerSecond * seconds));
    const ofOrigin = Math.max(share.cap.value, Math.floor(share.answersPerSecond * seconds));
    return line.length + ahead.merchant < ofMerchant && ahead.origin < ofOrigin;
  }

  add(to: Destination, item: T): void {
    const queue = this.queueOf(to);
    if (queue.inFlight + queue.line.length === 0) queue.turn = ++this.turn;
    this.change(queue, () => queue.line.add(item));
    this.waitingCount++;
  }

  /** The next item that may start, holding a slot until `release`; undefined when none may. */
  next(): Granted<T> | undefined {
    const share = this.ready.earliest?.value;
    if (!share || (share.inFlight >= slotFloor && this.inFlightCount >= this.budget.slotsMax)) return undefined;
    const queue = share.next()!;
    const reservedIn = share.isFull ? share : undefined;
    if (reservedIn) reservedIn.reserved++;
    share.turn = queue.turn = ++this.turn;
    const item = this.change(queue, () => {
      queue.inFlight++;
      return queue.line.take()!;
    });
    this.waitingCount--;
    this.inFlightCount++;
    return { origin: queue.to.origin, item, queue, reservedIn };
  }

  release({ queue, reservedIn }: Granted<T>, use: SlotUse): void {
    if (reservedIn) reservedIn.reserved--;
    const share = this.measure(queue, use);
    this.change(queue, () => queue.inFlight--, share);
    if (reservedIn) this.place(reservedIn);
    this.inFlightCount--;
  }

  /** Removes every waiting item for which `isGone` is true. */
  remove(isGone: (item: T) => boolean): T[] {
    const removed: T[] = [];
    for (const { queues } of this.origins.values()) {
      for (const queue of queues.values()) {
        if (queue.line.length === 0) continue;
        for (const item of this.change(queue, () => queue.line.remove(isGone))) removed.push(item);
      }
    }
    this.waitingCount -= removed.length;
    return removed;
  }

  /** Called once a second: measures rates, and removes merchants and origins that were idle for a while. */
  tick(): void {
    for (const [name, origin] of this.origins) {
      for (const queue of origin.queues.values()) {
        const isIdle = queue.inFlight === 0 && queue.line.length === 0 && queue.answersInSecond === 0;
        queue.secondsIdle = isIdle ? queue.secondsIdle + 1 : 0;
        queue.answersPerSecond = queue.answersInSecond;
        queue.answersInSecond = 0;
        if (queue.secondsIdle > idleSecondsMax) origin.queues.delete(queue.to.merchantId);
      }
      origin.answering.tick();
      origin.silent.tick();
      if (origin.queues.size === 0) this.origins.delete(name);
    }
  }

  /** Updates the caps, and returns the share that the merchant belongs to from now on. */
  private measure(queue: MerchantQueue<T>, use: SlotUse): OriginShare<T> {
    const { share, cap, to } = queue;
    if (use === 'UNUSED') return share;
    const origin = this.origins.get(to.origin)!;
    if (use === 'TIMED_OUT') {
      cap.timedOut(queue.inFlight);
      share.cap.timedOut(share.inFlight);
      return origin.silent;
    }
    queue.answersInSecond++;
    share.answersInSecond++;
    const mayGrow = use === 'ANSWERED_SLOWLY' && this.mayGrow;
    cap.answered(mayGrow && queue.line.length > 0 && queue.inFlight >= cap.value);
    share.cap.answered(mayGrow && share.waiting > 0 && share.isFull);
    return origin.answering;
  }

  private queueOf(to: Destination): MerchantQueue<T> {
    const origin = this.originOf(to.origin);
    let queue = origin.queues.get(to.merchantId);
    if (!queue) {
      const nothing = { inFlight: 0, answersInSecond: 0, answersPerSecond: 0, secondsIdle: 0, turn: 0 };
      const cap = new SlotCap(this.capMax);
      queue = { to, line: new FifoQueue<T>(), cap, share: origin.answering, psp: undefined, ready: undefined, ...nothing };
      origin.answering.join(queue);
      origin.queues.set(to.merchantId, queue);
    }
    return queue;
  }

  private originOf(name: string): Origin<T> {
    let origin = this.origins.get(name);
    if (!origin) {
      const share = (reserve: number) => new OriginShare<T>({ slotsMax: this.capMax, reserve });
      origin = { answering: share(reserves.answering), silent: share(reserves.silent), queues: new Map() };
      this.origins.set(name, origin);
    }
    return origin;
  }

  /** Nobody may take more than a quarter of the process (P-1.9). */
  private get capMax(): number {
    return Math.max(slotFloor, Math.floor(this.budget.slotsMax / 4));
  }

  private change<R>(queue: MerchantQueue<T>, apply: () => R, to = queue.share): R {
    const from = queue.share;
    from.leave(queue);
    const result = apply();
    to.join(queue);
    this.place(from);
    if (to !== from) this.place(to);
    return result;
  }

  /** Keeps the share in the heap while one of its merchants could use a slot. */
  private place(share: OriginShare<T>): void {
    if (share.ready) this.ready.remove(share.ready);
    share.ready = share.next() ? this.ready.add(orderOf(share), share) : undefined;
  }
}
