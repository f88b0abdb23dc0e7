/** Something that happens at an instant. */
export interface SimEvent {
  atMs: number;
  /** Events of one instant happen in this order. */
  order: number;
  run(): void;
}

/** Binary min-heap of events by time, then order. */
export class EventQueue {
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
