/** What happens when, in virtual microseconds: a binary heap. Of two events at one instant the earlier planned comes first. */
export class EventCalendar {
  nowUs = 0;
  private readonly heap: { atUs: number; order: number; run: () => void }[] = [];
  private planned = 0;

  after(delayUs: number, run: () => void): void {
    const { heap } = this;
    const event = { atUs: this.nowUs + Math.max(0, delayUs), order: this.planned++, run };
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  /** Runs what is planned up to `untilUs`, with what that plans. */
  run(untilUs: number): void {
    while (this.heap.length > 0 && this.heap[0]!.atUs <= untilUs) {
      const next = this.pop();
      this.nowUs = next.atUs;
      next.run();
    }
  }

  private pop(): { atUs: number; run: () => void } {
    const { heap } = this;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

interface Planned {
  atUs: number;
  order: number;
}

function isBefore(one: Planned, other: Planned): boolean {
  return one.atUs < other.atUs || (one.atUs === other.atUs && one.order < other.order);
}
