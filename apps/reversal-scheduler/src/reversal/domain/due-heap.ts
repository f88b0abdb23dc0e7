/** A job the scheduler will ask about. */
export interface Timer {
  transactionId: number;
  merchantId: number;
  shard: number;
  /** Due instant on the store's clock, microseconds since 1970: names the job's place in its shard. */
  dueAtUs: number;
  /** Due instant on the caller's monotonic clock. */
  dueAtMs: number;
  /** When to ask, on the same clock: the due time at first, later after each answer OPEN. */
  askAtMs: number;
}

/** Binary min-heap of timers by the time to ask; at most one timer per transaction (the first one pushed stays). */
export class DueHeap {
  private readonly heap: Timer[] = [];
  private readonly known = new Set<number>();

  get size(): number {
    return this.heap.length;
  }

  /** When to ask next. */
  get nextAskAtMs(): number | undefined {
    return this.heap[0]?.askAtMs;
  }

  /** Every timer, in no order. */
  timers(): readonly Timer[] {
    return this.heap;
  }

  /** False when the transaction has a timer already. */
  push(timer: Timer): boolean {
    if (this.known.has(timer.transactionId)) return false;
    this.known.add(timer.transactionId);
    this.heap.push(timer);
    this.siftUp(this.heap.length - 1);
    return true;
  }

  /** Removes and returns up to `max` timers to ask about at `nowMs`, earliest first. */
  popDue(nowMs: number, max: number): Timer[] {
    const due: Timer[] = [];
    while (due.length < max && this.heap[0] && this.heap[0].askAtMs <= nowMs) due.push(this.pop());
    return due;
  }

  /** Drops the timers of shards given up; their new owner has its own. */
  dropShards(shards: ReadonlySet<number>): void {
    const kept = this.heap.filter(timer => !shards.has(timer.shard));
    if (kept.length === this.heap.length) return;
    this.heap.length = 0;
    this.known.clear();
    for (const timer of kept) this.push(timer);
  }

  private pop(): Timer {
    const first = this.heap[0]!;
    const last = this.heap.pop()!;
    this.known.delete(first.transactionId);
    if (this.heap.length > 0) {
      this.heap[0] = last;
      this.siftDown();
    }
    return first;
  }

  private siftUp(start: number): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.heap[parent]!.askAtMs <= this.heap[at]!.askAtMs) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private siftDown(): void {
    let at = 0;
    for (;;) {
      const smallest = this.smallestOf(at, 2 * at + 1, 2 * at + 2);
      if (smallest === at) return;
      this.swap(at, smallest);
      at = smallest;
    }
  }

  private smallestOf(...candidates: number[]): number {
    return candidates.reduce((best, at) => {
      const timer = this.heap[at];
      return timer && timer.askAtMs < this.heap[best]!.askAtMs ? at : best;
    });
  }

  private swap(a: number, b: number): void {
    [this.heap[a], this.heap[b]] = [this.heap[b]!, this.heap[a]!];
  }
}
