import { type Deadline, DeadlineHeap } from '@paycode/timing/deadline-heap';
import { SlotCap, slotFloor } from './slot-cap';
import { FifoQueue } from './fifo-queue';

export interface SlotBudget {
  /** Sockets of this process for deliveries, over all endpoints. */
  slotsMax: number;
}

/** The measured values of an endpoint are kept this long after its last request. */
const idleSecondsMax = 300;

/**
 * How a slot was used, for the endpoint's cap. ANSWERED_SLOWLY: the receiver took most of the time; only then would more slots make its
 * deliveries faster.
 */
export type SlotUse = 'ANSWERED' | 'ANSWERED_SLOWLY' | 'TIMED_OUT' | 'UNUSED';

export interface Granted<T> {
  origin: string;
  item: T;
}

interface OriginQueue<T> {
  origin: string;
  line: FifoQueue<T>;
  inFlight: number;
  cap: SlotCap;
  answersInSecond: number;
  answersPerSecond: number;
  secondsIdle: number;
  /** Position in the heap of endpoints that could use a slot now. */
  ready: Deadline<OriginQueue<T>> | undefined;
}

/**
 * One queue per endpoint and max-min fair sharing of the process's sockets among them: a free slot goes to the endpoint that has the
 * fewest. So a hanging endpoint may use slots that no other endpoint needs, and loses them to the first that needs them. Four slots of
 * each endpoint are outside the budget. A running request is never aborted to free a slot (P-1.9, P-I12).
 */
export class OriginQueues<T> {
  /** False while this process is the bottleneck: more requests in flight would only wait in it. */
  mayGrow = true;
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

  waitingOf(origin: string): number {
    return this.queues.get(origin)?.line.length ?? 0;
  }

  capOf(origin: string): number {
    return this.queueOf(origin).cap.value;
  }

  /** Whether what waits for this endpoint waits for its receiver: all its slots are in use, and this process could do more. */
  isHeldUp(origin: string): boolean {
    const queue = this.queues.get(origin);
    return queue !== undefined && this.mayGrow && queue.inFlight >= queue.cap.value;
  }

  /** How many new items would start within about `seconds`. */
  startingWithin(origin: string, seconds: number): number {
    const { cap, answersPerSecond } = this.queueOf(origin);
    return Math.max(cap.value, Math.floor(answersPerSecond * seconds));
  }

  add(origin: string, item: T): void {
    const queue = this.queueOf(origin);
    queue.line.add(item);
    this.waitingCount++;
    this.place(queue);
  }

  /** The next item that may start, holding a slot until `release`; undefined when none may. */
  next(): Granted<T> | undefined {
    const queue = this.ready.earliest?.value;
    if (!queue || (queue.inFlight >= slotFloor && this.inFlightCount >= this.budget.slotsMax)) return undefined;
    const item = queue.line.take()!;
    this.waitingCount--;
    queue.inFlight++;
    this.inFlightCount++;
    this.place(queue);
    return { origin: queue.origin, item };
  }

  release(origin: string, use: SlotUse): void {
    const queue = this.queueOf(origin);
    if (use === 'ANSWERED' || use === 'ANSWERED_SLOWLY') {
      queue.answersInSecond++;
      const isShort = queue.line.length > 0 && queue.inFlight >= queue.cap.value;
      queue.cap.answered(isShort && use === 'ANSWERED_SLOWLY' && this.mayGrow);
    }
    if (use === 'TIMED_OUT') queue.cap.timedOut(queue.inFlight);
    queue.inFlight--;
    this.inFlightCount--;
    this.place(queue);
  }

  /** Removes every waiting item for which `isGone` is true. */
  remove(isGone: (item: T) => boolean): T[] {
    const removed: T[] = [];
    for (const queue of this.queues.values()) {
      const gone = queue.line.remove(isGone);
      if (gone.length === 0) continue;
      for (const item of gone) removed.push(item);
      this.place(queue);
    }
    this.waitingCount -= removed.length;
    return removed;
  }

  /** Called once a second: measures rates, and removes endpoints that were idle for a while. */
  tick(): void {
    for (const [origin, queue] of this.queues) {
      const isIdle = queue.inFlight === 0 && queue.line.length === 0 && queue.answersInSecond === 0;
      queue.secondsIdle = isIdle ? queue.secondsIdle + 1 : 0;
      queue.answersPerSecond = queue.answersInSecond;
      queue.answersInSecond = 0;
      if (queue.secondsIdle > idleSecondsMax) this.queues.delete(origin);
    }
  }

  private queueOf(origin: string): OriginQueue<T> {
    let queue = this.queues.get(origin);
    if (!queue) {
      // No endpoint may take more than a quarter of the process (P-1.9).
      const cap = new SlotCap(Math.max(slotFloor, Math.floor(this.budget.slotsMax / 4)));
      const nothing = { inFlight: 0, answersInSecond: 0, answersPerSecond: 0, secondsIdle: 0, ready: undefined };
      queue = { origin, line: new FifoQueue<T>(), cap, ...nothing };
      this.queues.set(origin, queue);
    }
    return queue;
  }

  /** Keeps the endpoint in the heap while it has a waiting item and a slot left under its cap, and removes it otherwise. */
  private place(queue: OriginQueue<T>): void {
    if (queue.ready) this.ready.remove(queue.ready);
    const isReady = queue.line.length > 0 && queue.inFlight < queue.cap.value;
    queue.ready = isReady ? this.ready.add(queue.inFlight, queue) : undefined;
  }
}
