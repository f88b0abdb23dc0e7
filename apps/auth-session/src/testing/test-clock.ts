import { SystemClock } from '@paycode/service-runtime/timing';

/** The real clock with a wall time that the test moves; PostgreSQL's own clock keeps running. */
export class TestClock extends SystemClock {
  private aheadMs = 0;
  private fixedMs: number | undefined;

  override epochMs(): number {
    return this.fixedMs ?? super.epochMs() + this.aheadMs;
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
