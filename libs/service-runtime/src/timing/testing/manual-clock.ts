import { type CancelTimer, Clock } from '../clock';

/** A clock that moves only when the test moves it. */
export class ManualClock extends Clock {
  private readonly timers = new Set<{ dueMs: number; run: () => void }>();
  private readonly turns: (() => void)[] = [];
  /** When true, a poll turn waits for `poll()`; otherwise it ends at once. */
  holdsPollTurns = false;

  constructor(private now = 0) {
    super();
  }

  /** Timers that neither fired nor were cancelled. */
  get timerCount(): number {
    return this.timers.size;
  }

  override nowMs(): number {
    return this.now;
  }

  override epochMs(): number {
    return Date.UTC(2026, 10, 20, 10) + this.now;
  }

  override after(delayMs: number, run: () => void): CancelTimer {
    const timer = { dueMs: this.now + delayMs, run };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  override pollTurn(): Promise<void> {
    return this.holdsPollTurns ? new Promise(resolve => this.turns.push(resolve)) : Promise.resolve();
  }

  /** Ends the pending poll turns. */
  async poll(): Promise<void> {
    for (const resolve of this.turns.splice(0)) resolve();
    await settled();
  }

  /** Moves time on and fires what comes due, in order of due time. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.now + byMs;
    for (;;) {
      const [next] = [...this.timers].filter(timer => timer.dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs);
      if (!next) break;
      this.now = Math.max(this.now, next.dueMs);
      this.timers.delete(next);
      next.run();
      await settled();
    }
    this.now = untilMs;
    await settled();
  }
}

/** Lets promise callbacks that are ready run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
