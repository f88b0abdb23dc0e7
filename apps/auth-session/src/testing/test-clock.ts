import { Clock } from '../clock';

/** The real time plus what the test adds. */
export class TestClock extends Clock {
  private aheadMs = 0;
  private fixedMs: number | undefined;

  nowMs(): number {
    return this.fixedMs ?? Date.now() + this.aheadMs;
  }

  advance(ms: number): void {
    if (this.fixedMs === undefined) this.aheadMs += ms;
    else this.fixedMs += ms;
  }

  /** Stands still at that instant. */
  set(epochMs: number): void {
    this.fixedMs = epochMs;
  }

  /** Runs again, at the real time. */
  reset(): void {
    this.fixedMs = undefined;
    this.aheadMs = 0;
  }
}
