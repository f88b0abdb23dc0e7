import { type Deadline, DeadlineHeap } from './deadline-heap';
import { SlotCap, slotFloor } from './slot-cap';

export interface SlotBudget {
  /** Sockets of this process for deliveries, over all endpoints. */
  slotsMax: number;
}

/** How a slot was used, for the endpoint's cap. */
export type SlotUse = 'ANSWERED' | 'TIMED_OUT' | 'UNUSED';

export interface Granted<T> {
  origin: string;
  item: T;
}

interface OriginQueue<T> {
  origin: string;
  waiting: T[];
  /** Items before this index are taken already. */
  head: number;
  inFlight: number;
  cap: SlotCap;
  /** Place among the endpoints that could use a slot now. */
  ready: Deadline<OriginQueue<T>> | undefined;
}

/**
 * One queue per endpoint and max-min fair sharing of the process's sockets among them: a free slot goes to the endpoint that has the
 * fewest, so a hanging endpoint may use what nobody needs and loses it to the first that does. Four slots of each endpoint are outside the
 * budget. A running request is never aborted to free a slot (1.9, I12).
 */
export class OriginQueues<T> {
  private readonly queues = new Map<string, OriginQueue<T>>();
  private readonly ready = new DeadlineHeap<OriginQueue<T>>();
  private waitingCount = 0;
  private inFlightCount = 0;

  constructor(private readonly budget: SlotBudget) {}

  get waiting(): number {
    return this.waitingCount;
  }

  get inFlight(): number {
    return this.inFlightCount;
  }

  get origins(): number {
    return this.queues.size;
  }

  waitingOf(origin: string): number {
    const queue = this.queues.get(origin);
    return queue ? queue.waiting.length - queue.head : 0;
  }

  capOf(origin: string): number {
    return this.queues.get(origin)?.cap.value ?? 2 * slotFloor;
  }

  add(origin: string, item: T): void {
    const queue = this.queueOf(origin);
    queue.waiting.push(item);
    this.waitingCount++;
    this.place(queue);
  }

  /** The next item that may start, holding a slot until `release`; undefined when none may. */
  next(): Granted<T> | undefined {
    const queue = this.ready.earliest?.value;
    if (!queue || (queue.inFlight >= slotFloor && this.inFlightCount >= this.budget.slotsMax)) return undefined;
    const item = this.shift(queue);
    queue.inFlight++;
    this.inFlightCount++;
    this.place(queue);
    return { origin: queue.origin, item };
  }

  release(origin: string, use: SlotUse): void {
    const queue = this.queueOf(origin);
    if (use === 'ANSWERED') queue.cap.answered(queue.inFlight);
    if (use === 'TIMED_OUT') queue.cap.timedOut(queue.inFlight);
    queue.inFlight--;
    this.inFlightCount--;
    this.place(queue);
  }

  /** Takes every waiting item for which `isGone` holds out of the queues. */
  remove(isGone: (item: T) => boolean): T[] {
    const removed: T[] = [];
    for (const queue of this.queues.values()) {
      const waiting = queue.waiting.slice(queue.head);
      const kept = waiting.filter(item => !isGone(item));
      if (kept.length === waiting.length) continue;
      removed.push(...waiting.filter(isGone));
      [queue.waiting, queue.head] = [kept, 0];
      this.place(queue);
    }
    this.waitingCount -= removed.length;
    return removed;
  }

  /** Forgets endpoints that have nothing waiting or under way and whose cap is the initial one anyway. */
  forgetIdle(): void {
    for (const [origin, queue] of this.queues) {
      if (queue.inFlight === 0 && queue.head === queue.waiting.length) this.queues.delete(origin);
    }
  }

  private queueOf(origin: string): OriginQueue<T> {
    let queue = this.queues.get(origin);
    if (!queue) {
      // No endpoint may take more than a quarter of the process (1.9).
      const cap = new SlotCap({ slotsMax: Math.max(slotFloor, Math.floor(this.budget.slotsMax / 4)) });
      queue = { origin, waiting: [], head: 0, inFlight: 0, cap, ready: undefined };
      this.queues.set(origin, queue);
    }
    return queue;
  }

  private shift(queue: OriginQueue<T>): T {
    const item = queue.waiting[queue.head++]!;
    this.waitingCount--;
    if (queue.head >= 32 && queue.head * 2 > queue.waiting.length) {
      queue.waiting = queue.waiting.slice(queue.head);
      queue.head = 0;
    }
    return item;
  }

  /** Keeps the endpoint in the heap exactly while it has something waiting and a slot left under its cap. */
  private place(queue: OriginQueue<T>): void {
    if (queue.ready) this.ready.remove(queue.ready);
    const isReady = queue.head < queue.waiting.length && queue.inFlight < queue.cap.value;
    queue.ready = isReady ? this.ready.add(queue.inFlight, queue) : undefined;
  }
}
