import { DeadlineHeap } from '@paycode/service-runtime/timing/deadline-heap';

/** A job the scheduler will ask about. */
export interface Timer {
  transactionId: number;
  merchantId: number;
  shard: number;
  /** Due time on the store's clock, in microseconds since 1970; it determines the job's position in its shard. */
  dueAtUs: number;
  /** Due instant on the caller's monotonic clock. */
  dueAtMs: number;
}

/**
 * Timers ordered by the time to ask: first the due time, later a pause after each answer OPEN. There is one timer per transaction; the
 * first one pushed stays.
 */
export class DueHeap {
  private readonly heap = new DeadlineHeap<Timer>();
  private readonly known = new Set<number>();

  get size(): number {
    return this.heap.size;
  }

  /** When to ask next, on the caller's monotonic clock. */
  get nextAskAtMs(): number | undefined {
    return this.heap.earliest?.dueMs;
  }

  /** Every timer, in no order. */
  *timers(): Iterable<Timer> {
    for (const { value } of this.heap.all) yield value;
  }

  /** False when the transaction has a timer already. */
  push(timer: Timer, askAtMs: number): boolean {
    if (this.known.has(timer.transactionId)) return false;
    this.known.add(timer.transactionId);
    this.heap.add(askAtMs, timer);
    return true;
  }

  /** Removes and returns up to `max` timers to ask about at `nowMs`, earliest first. */
  popDue(nowMs: number, max: number): Timer[] {
    const due: Timer[] = [];
    for (let next = this.heap.earliest; next && due.length < max && next.dueMs <= nowMs; next = this.heap.earliest) {
      this.heap.remove(next);
      this.known.delete(next.value.transactionId);
      due.push(next.value);
    }
    return due;
  }

  /** Drops the timers of lost shards; their new owner has its own. */
  dropShards(shards: ReadonlySet<number>): void {
    for (const entry of this.heap.all.filter(({ value }) => shards.has(value.shard))) {
      this.heap.remove(entry);
      this.known.delete(entry.value.transactionId);
    }
  }
}
