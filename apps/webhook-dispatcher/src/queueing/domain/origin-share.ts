import { type Deadline, DeadlineHeap } from '@paycode/service-runtime/timing/deadline-heap';

/** Slots that an endpoint always has (P-1.9). */
export const slotFloor = 4;
/** Slots of a new endpoint: enough for deliveries to share calls and statements. */
export const slotsAtFirst = 64;

/**
 * Adaptive limit of requests in flight to one endpoint. It doubles with each full round of answers while deliveries wait for slots. It
 * halves after a timeout, at most once per round, so that many timeouts with one cause count once. It never falls below the floor.
 */
export class SlotCap {
  private slots = slotsAtFirst;
  private answersInRound = 0;
  private timeoutsIgnored = 0;

  /** `slotsMax`: upper limit, however well the endpoint answers. */
  constructor(private readonly slotsMax: number) {}

  get value(): number {
    return Math.max(slotFloor, Math.min(this.slots, this.slotsMax));
  }

  /** The endpoint answered in time, with any status. `isShort`: its deliveries wait for slots. */
  answered(isShort: boolean): void {
    this.timeoutsIgnored = Math.max(0, this.timeoutsIgnored - 1);
    if (!isShort) return void (this.answersInRound = 0);
    if (++this.answersInRound < this.value) return;
    this.answersInRound = 0;
    this.slots = Math.min(this.slots * 2, this.slotsMax);
  }

  /** `inFlight`: requests in flight, this one included; their timeouts have the same cause. */
  timedOut(inFlight: number): void {
    this.answersInRound = 0;
    if (this.timeoutsIgnored > 0) {
      this.timeoutsIgnored--;
      return;
    }
    this.slots = Math.max(slotFloor, Math.floor(this.value / 2));
    this.timeoutsIgnored = inFlight;
  }
}

/** A first-in, first-out queue in an array: add and take in amortised constant time. */
export class FifoQueue<T> {
  private items: T[] = [];
  /** Items before this index are taken. */
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  add(item: T): void {
    this.items.push(item);
  }

  take(): T | undefined {
    const item = this.items[this.head];
    if (this.length > 0) this.skip(1);
    return item;
  }

  remove(isGone: (item: T) => boolean): T[] {
    const waiting = this.items.slice(this.head);
    this.items = waiting.filter(item => !isGone(item));
    this.head = 0;
    return waiting.filter(isGone);
  }

  private skip(count: number): void {
    this.head += count;
    if (this.head < 32 || this.head * 2 < this.items.length) return;
    this.items = this.items.slice(this.head);
    this.head = 0;
  }
}

/** Where a delivery goes, and whose it is. A merchant has one URL, so a merchant at an origin is a URL, whatever its path or query. */
export interface Destination {
  readonly origin: string;
  readonly merchantId: number;
  /** null: not known. */
  readonly pspId: number | null;
}

/** The deliveries of one merchant to one origin. */
export interface MerchantQueue<T> {
  readonly to: Destination;
  readonly line: FifoQueue<T>;
  readonly cap: SlotCap;
  inFlight: number;
  share: OriginShare<T>;
  psp: PspShare<T> | undefined;
  answersInSecond: number;
  answersPerSecond: number;
  secondsIdle: number;
  /** The turn in which it was served last, or came. */
  turn: number;
  /** Position in the heap of its PSP while it could use a slot. */
  ready: Deadline<MerchantQueue<T>> | undefined;
}

interface PspShare<T> {
  inFlight: number;
  waiting: number;
  readonly ready: DeadlineHeap<MerchantQueue<T>>;
}

/** More turns than a process has in months. Times the greatest number of sockets it is still an exact number. */
const turnsMax = 2 ** 36;

/** Order of a heap: the fewest requests in flight first; among equals, the one that was served longest ago. */
export function orderOf({ inFlight, turn }: { inFlight: number; turn: number }): number {
  return inFlight * turnsMax + (turn % turnsMax);
}

/** A merchant may hold at most this part of what is left of the reserve, so that some twenty can use it one after the other. */
const reserveParts = 4;

/**
 * The slots of those merchants of one origin that answer, or of those that do not. A free slot goes to the PSP that has the fewest, and there to
 * the merchant that has the fewest. So ten thousand merchants of one PSP weigh as much as one merchant of another.
 *
 * Nobody can take a slot back from a request that hangs. So some slots beyond the cap are reserved for merchants that hold few: a merchant may use the
 * reserve while it holds less than a quarter of what is left there. A merchant that fills the cap holds too many, and a newcomer starts at once. When
 * the reserve is used up too, each PSP still has the floor.
 */
export class OriginShare<T> {
  readonly cap: SlotCap;
  inFlight = 0;
  waiting = 0;
  /** Merchants with a delivery that waits or is in flight. */
  busy = 0;
  answersInSecond = 0;
  answersPerSecond = 0;
  turn = 0;
  /** Requests in flight that were given a slot beyond the cap. */
  reserved = 0;
  /** Position in the heap of shares that could use a slot now. */
  ready: Deadline<OriginShare<T>> | undefined;
  private readonly reserve: number;
  private readonly psps = new Map<number | null, PspShare<T>>();

  /** `slotsMax`: the limit of its cap. `reserve`: slots beyond the cap. */
  constructor({ slotsMax, reserve }: { slotsMax: number; reserve: number }) {
    this.cap = new SlotCap(slotsMax);
    this.reserve = Math.max(slotFloor, Math.min(reserve, slotsMax));
  }

  /** All slots of the cap are in use, so a further request takes one of the reserve. */
  get isFull(): boolean {
    return this.inFlight - this.reserved >= this.cap.value;
  }

  /** The queue whose delivery may start next; undefined when none may. */
  next(): MerchantQueue<T> | undefined {
    if (!this.isFull) return this.least(psp => psp.inFlight)?.ready.earliest!.value;
    const smallest = this.least(psp => psp.ready.earliest!.dueMs)?.ready.earliest!.value;
    if (smallest && this.mayUseReserve(smallest)) return smallest;
    const psp = this.least(({ inFlight }) => inFlight);
    return psp && psp.inFlight < slotFloor ? psp.ready.earliest!.value : undefined;
  }

  /** Whether a delivery of this queue would have a slot now. */
  hasSlotFor(queue: MerchantQueue<T>): boolean {
    if (queue.inFlight >= queue.cap.value) return false;
    return !this.isFull || this.mayUseReserve(queue) || (queue.psp?.inFlight ?? 0) < slotFloor;
  }

  /** The slots of this queue when each merchant that has deliveries here gets as many. */
  fairSlotsOf(queue: MerchantQueue<T>): number {
    return Math.floor(this.cap.value / (this.busy + (isBusy(queue) ? 0 : 1)));
  }

  waitingOfPsp(pspId: number | null): number {
    return this.psps.get(pspId)?.waiting ?? 0;
  }

  join(queue: MerchantQueue<T>): void {
    const psp = this.pspOf(queue);
    queue.share = this;
    queue.psp = psp;
    this.count(queue, psp, 1);
    const isReady = queue.line.length > 0 && queue.inFlight < queue.cap.value;
    queue.ready = isReady ? psp.ready.add(orderOf(queue), queue) : undefined;
  }

  leave(queue: MerchantQueue<T>): void {
    const psp = queue.psp!;
    this.count(queue, psp, -1);
    if (queue.ready) psp.ready.remove(queue.ready);
  }

  /** Measures the rate of answers, and forgets PSPs without a request. */
  tick(): void {
    this.answersPerSecond = this.answersInSecond;
    this.answersInSecond = 0;
    for (const [pspId, { inFlight, waiting }] of this.psps) if (inFlight + waiting === 0) this.psps.delete(pspId);
  }

  private mayUseReserve({ inFlight }: MerchantQueue<T>): boolean {
    return inFlight * reserveParts < this.reserve - this.reserved;
  }

  private count(queue: MerchantQueue<T>, psp: PspShare<T>, sign: 1 | -1): void {
    const inFlight = sign * queue.inFlight;
    const waiting = sign * queue.line.length;
    psp.inFlight += inFlight;
    this.inFlight += inFlight;
    psp.waiting += waiting;
    this.waiting += waiting;
    if (isBusy(queue)) this.busy += sign;
  }

  private pspOf({ to: { pspId } }: MerchantQueue<T>): PspShare<T> {
    let psp = this.psps.get(pspId);
    if (!psp) this.psps.set(pspId, (psp = { inFlight: 0, waiting: 0, ready: new DeadlineHeap() }));
    return psp;
  }

  /** Few PSPs share an origin, so a search is cheaper than a heap. */
  private least(measure: (psp: PspShare<T>) => number): PspShare<T> | undefined {
    let least: PspShare<T> | undefined;
    for (const psp of this.psps.values()) {
      if (psp.ready.size > 0 && (!least || measure(psp) < measure(least))) least = psp;
    }
    return least;
  }
}

function isBusy({ inFlight, line }: MerchantQueue<unknown>): boolean {
  return inFlight + line.length > 0;
}
