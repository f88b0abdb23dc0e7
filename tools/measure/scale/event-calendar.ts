import { DeadlineHeap } from '@paycode/timing';

/** Runs events at their virtual time, in microseconds. Of two events at one instant either may come first, the same one in each run. */
export class EventCalendar {
  nowUs = 0;
  private readonly heap = new DeadlineHeap<{ atUs: number; run: () => void }>();

  after(delayUs: number, run: () => void): void {
    const atUs = this.nowUs + Math.max(0, delayUs);
    this.heap.add(atUs / 1_000, { atUs, run });
  }

  /** Runs what is planned up to `untilUs`, with what that plans. */
  run(untilUs: number): void {
    for (let next = this.heap.earliest; next && next.value.atUs <= untilUs; next = this.heap.earliest) {
      this.heap.remove(next);
      this.nowUs = next.value.atUs;
      next.value.run();
    }
  }
}
