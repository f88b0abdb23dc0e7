import { DeadlineHeap } from '@paycode/service-runtime/timing';

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
  private readonly instants = new DeadlineHeap<(() => void)[]>();
  /** By instant: its events in the order in which they were planned. */
  private readonly planned = new Map<number, (() => void)[]>();
  private now = 0;
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
    const dueMs = Math.max(onGrid(atMs), this.now);
    const others = this.planned.get(dueMs);
    if (others) return void others.push(run);
    const events = [run];
    this.planned.set(dueMs, events);
    this.instants.add(dueMs, events);
  }

  after(delayMs: number, run: () => void): void {
    this.at(this.now + Math.max(0, delayMs), run);
  }

  /** Runs until `untilMs`, until `isOver` returns true (checked after every event), or until no event is left. */
  run(untilMs: number, isOver: () => boolean = () => false): void {
    settlePromises();
    for (let next = this.instants.earliest; next && next.dueMs <= untilMs && !isOver(); next = this.instants.earliest) {
      const run = next.value.shift()!;
      if (next.value.length === 0) {
        this.instants.remove(next);
        this.planned.delete(next.dueMs);
      }
      this.now = next.dueMs;
      this.steps++;
      run();
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
