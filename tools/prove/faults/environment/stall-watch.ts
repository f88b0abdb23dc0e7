const tickMs = 20;
/** A pause between two ticks from which on this process counts as stalled. */
const stallMsMin = 100;

interface Stall {
  fromMs: number;
  toMs: number;
}

/**
 * Records when this process could not run. A receiver reads requests that arrived meanwhile only afterwards: by its own clock it answers
 * at once, by the sender's clock it does not.
 */
export class StallWatch {
  private readonly stalls: Stall[] = [];
  private lastMs = performance.now();
  private readonly timer = setInterval(() => this.tick(), tickMs).unref();

  /** How long data that is read at that instant may have waited for this process, in milliseconds. */
  waitedBefore(atMs: number): number {
    this.tick();
    const last = this.stalls.at(-1);
    return last && last.toMs >= atMs - stallMsMin ? atMs - last.fromMs : 0;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private tick(): void {
    const nowMs = performance.now();
    if (nowMs - this.lastMs > stallMsMin) this.stalls.push({ fromMs: this.lastMs, toMs: nowMs });
    this.lastMs = nowMs;
  }
}
