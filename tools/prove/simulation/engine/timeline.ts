/** A seeded random generator (sfc32), the only one that a simulation may use, so that a seed replays exactly. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(seed: number) {
    this.a = 0x9e3779b9;
    this.b = seed | 0;
    this.c = (seed / 0x1_0000_0000) | 0;
    for (let turn = 0; turn < 12; turn++) this.next();
  }

  /** Uniform in [0, 1). */
  next(): number {
    const sum = (this.a + this.b + this.counter++) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return (sum >>> 0) / 0x1_0000_0000;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Uniform in [min, max). */
  between(min: number, max: number): number {
    return min + this.next() * (max - min);
  }

  /** Whole number in [min, max]. */
  integer(min: number, max: number): number {
    return Math.floor(this.between(min, max + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** Mostly small, sometimes large: a delay of `typicalMs`, one time in `rarity` up to `worstMs`. */
  delay(typicalMs: number, { worstMs, rarity }: { worstMs: number; rarity: number }): number {
    return this.chance(1 / rarity) ? this.between(typicalMs, worstMs) : this.between(typicalMs / 2, typicalMs * 2);
  }
}

/** Something that happens at an instant. */
interface SimEvent {
  atMs: number;
  /** Events of one instant happen in this order. */
  order: number;
  run(): void;
}

/** Binary min-heap of events by time, then order. */
class EventQueue {
  private readonly heap: SimEvent[] = [];

  get size(): number {
    return this.heap.length;
  }

  get next(): SimEvent | undefined {
    return this.heap[0];
  }

  push(event: SimEvent): void {
    const { heap } = this;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  pop(): SimEvent | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || !last) return first;
    let at = 0;
    for (;;) {
      const child = this.smallerChild(at);
      if (child === undefined || !isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  private smallerChild(at: number): number | undefined {
    const left = 2 * at + 1;
    if (left >= this.heap.length) return undefined;
    const right = left + 1;
    return right < this.heap.length && isBefore(this.heap[right]!, this.heap[left]!) ? right : left;
  }
}

function isBefore(a: SimEvent, b: SimEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** The faults of a simulation (section 4 of the protocol, and the failures of receivers). */
export const faultKinds = [
  'statement lost',
  'statement done, answer lost',
  'call lost',
  'call done, answer lost',
  'call arrives twice',
  'message late',
  'statements reordered',
  'calls reordered',
  'event late',
  'event twice',
  'event lost',
  'offset not committed',
  'AckReceived published twice',
  'AckReceived forged',
  'ReversalRequested twice',
  'crash at an await',
  'life session ended',
  'dispatcher killed',
  'scheduler killed',
  'clean restart',
  'dispatcher paused',
  'scheduler paused',
  'dispatcher database down',
  'scheduler database down',
  'notification-config down',
  'event log down',
  'endpoint paused',
  'partitions move',
  'shard taken from a live owner',
  'wall clock step',
  'key renewed',
  'getNotification',
  'receiver slow',
  'receiver edge',
  'receiver late',
  'receiver refusing',
  'receiver hanging',
  'receiver reset',
  'receiver unreachable',
  'receiver stale',
  'receiver ourFault',
  'receiver ourFaultAfterSend',
  'neighbour silent',
  'fleet cold',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** How often each fault happened; a fault that is only planned proves nothing. */
export class FaultCounts {
  private readonly counts = new Map<FaultKind, number>();

  add(kind: FaultKind, times = 1): void {
    this.counts.set(kind, this.of(kind) + times);
  }

  addAll(other: FaultCounts): void {
    for (const [kind, times] of other.counts) this.add(kind, times);
  }

  of(kind: FaultKind): number {
    return this.counts.get(kind) ?? 0;
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(faultKinds.filter(kind => this.of(kind) > 0).map(kind => [kind, this.of(kind)]));
  }

  get missing(): FaultKind[] {
    return faultKinds.filter(kind => this.of(kind) === 0);
  }
}

/** Runs promise callbacks until none is left, without giving the event loop a turn (Node's own function after each callback). */
const settlePromises = (process as unknown as { _tickCallback(): void })._tickCallback.bind(process);

/**
 * Times are on a binary grid of about a microsecond, so that sums and differences are exact and a timer never fires too early.
 */
export function onGrid(ms: number): number {
  return Math.ceil(ms * 1_024) / 1_024;
}

/** Virtual time: one event after the other, all promise callbacks of an event before the next one. */
export class Timeline {
  readonly random: Random;
  readonly faults = new FaultCounts();
  private readonly queue = new EventQueue();
  private now = 0;
  private orders = 0;
  private hash = 0;
  /** Events that happened. */
  steps = 0;
  /** Called with each line of the trace; undefined: no trace is kept. */
  onTrace: ((line: string) => void) | undefined;

  constructor(readonly seed: number) {
    this.random = new Random(seed);
  }

  /** Virtual milliseconds since the start. */
  get nowMs(): number {
    return this.now;
  }

  /** Hash of all events in order; equal for two runs of a seed. */
  get fingerprint(): string {
    return (this.hash >>> 0).toString(16).padStart(8, '0');
  }

  at(atMs: number, run: () => void): void {
    this.queue.push({ atMs: Math.max(onGrid(atMs), this.now), order: this.orders++, run });
  }

  after(delayMs: number, run: () => void): void {
    this.at(this.now + Math.max(0, delayMs), run);
  }

  /** Runs until `untilMs`, until `isOver` returns true (checked after every event), or until no event is left. */
  run(untilMs: number, isOver: () => boolean = () => false): void {
    settlePromises();
    for (let event = this.queue.next; event && event.atMs <= untilMs && !isOver(); event = this.queue.next) {
      this.queue.pop();
      this.now = event.atMs;
      this.steps++;
      event.run();
      settlePromises();
    }
    if (!isOver()) this.now = Math.max(this.now, untilMs);
  }

  /** Runs promise callbacks that are ready now: between the parts of one event. */
  settle(): void {
    settlePromises();
  }

  trace(line: string): void {
    const text = `${this.now.toFixed(1)} ${line}`;
    for (let at = 0; at < text.length; at++) this.hash = (Math.imul(this.hash, 31) + text.charCodeAt(at)) | 0;
    this.onTrace?.(text);
  }
}
