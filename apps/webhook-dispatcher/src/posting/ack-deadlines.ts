import { type CancelTimer, type Clock, type Deadline, DeadlineHeap } from '@paycode/service-runtime/timing';

type Expire = () => void;

/**
 * Deadlines of requests in flight. A passed deadline does not count at once: timers run before the event loop polls, so after a stall the
 * timer would overtake a 200 that the kernel already holds. Two poll turns later the process has read that 200, and reading it has
 * cancelled the deadline (P-T3).
 */
export class AckDeadlines {
  private readonly heap = new DeadlineHeap<Expire>();
  private timer: { dueMs: number; cancel: CancelTimer } | undefined;

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.heap.size;
  }

  /** Calls `expire` once `dueMs` (monotonic) has passed, unless cancelled first. */
  watch(dueMs: number, expire: Expire): CancelTimer {
    let isLive = true;
    const entry = this.heap.add(dueMs, () => {
      if (isLive) expire();
    });
    this.schedule();
    return () => {
      isLive = false;
      this.heap.remove(entry);
      if (this.heap.size === 0) this.rest();
    };
  }

  /** Nothing is watched: clears the timer, which would only keep the process alive. */
  private rest(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  /**
   * One timer serves all deadlines and is moved only to an earlier instant. When a deadline is cancelled the timer stays, fires,
   * and finds nothing to do.
   */
  private schedule(): void {
    const next = this.heap.earliest;
    if (!next || (this.timer && this.timer.dueMs <= next.dueMs)) return;
    this.timer?.cancel();
    const waitMs = Math.max(0, next.dueMs - this.clock.nowMs());
    this.timer = { dueMs: next.dueMs, cancel: this.clock.after(waitMs, () => void this.fire()) };
  }

  private async fire(): Promise<void> {
    this.timer = undefined;
    const suspects: Deadline<Expire>[] = [];
    const nowMs = this.clock.nowMs();
    for (let next = this.heap.earliest; next && next.dueMs <= nowMs; next = this.heap.earliest) {
      this.heap.remove(next);
      suspects.push(next);
    }
    this.schedule();
    await this.clock.pollTurn();
    await this.clock.pollTurn();
    for (const { value: expire } of suspects) expire();
  }
}
