import { EventQueue } from './event-queue.ts';
import { FaultCounts } from './fault-counts.ts';
import { Random } from './random.ts';

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
