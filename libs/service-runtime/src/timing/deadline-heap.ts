/** An entry of a heap; it has its index, so that it can be removed without a search. */
export interface Deadline<T> {
  readonly dueMs: number;
  readonly value: T;
  /** Index in the heap; -1 once removed. */
  at: number;
}

/** Binary min-heap of deadlines: add and remove in O(log n), the earliest in O(1). */
export class DeadlineHeap<T> {
  private readonly entries: Deadline<T>[] = [];

  get size(): number {
    return this.entries.length;
  }

  get earliest(): Deadline<T> | undefined {
    return this.entries[0];
  }

  /** Every entry, in no order; valid until the next change. */
  get all(): readonly Deadline<T>[] {
    return this.entries;
  }

  add(dueMs: number, value: T): Deadline<T> {
    const entry: Deadline<T> = { dueMs, value, at: this.entries.length };
    this.entries.push(entry);
    this.rise(entry);
    return entry;
  }

  /** Harmless when the entry is gone already. */
  remove(entry: Deadline<T>): void {
    if (entry.at < 0) return;
    const last = this.entries.pop()!;
    const hole = entry.at;
    entry.at = -1;
    if (last === entry) return;
    this.place(last, hole);
    this.rise(last);
    this.sink(last);
  }

  private rise(entry: Deadline<T>): void {
    while (entry.at > 0) {
      const parent = this.entries[(entry.at - 1) >> 1]!;
      if (parent.dueMs <= entry.dueMs) return;
      this.swap(parent, entry);
    }
  }

  private sink(entry: Deadline<T>): void {
    for (;;) {
      const left = this.entries[2 * entry.at + 1];
      const right = this.entries[2 * entry.at + 2];
      const least = right && right.dueMs < left!.dueMs ? right : left;
      if (!least || entry.dueMs <= least.dueMs) return;
      this.swap(entry, least);
    }
  }

  private swap(upper: Deadline<T>, lower: Deadline<T>): void {
    const at = upper.at;
    this.place(upper, lower.at);
    this.place(lower, at);
  }

  private place(entry: Deadline<T>, at: number): void {
    this.entries[at] = entry;
    entry.at = at;
  }
}
