const tickMs = 20;
/** A pause between two ticks from which on this process counts as stalled. */
const stallMsMin = 100;

interface Stall {
  fromMs: number;
  toMs: number;
}

/**
 * Notes when this process could not run. A receiver reads what came in meanwhile only afterwards: by its own clock it answered at once, by
 * the sender's it did not.
 */
export class StallWatch {
  private readonly stalls: Stall[] = [];
  private lastMs = performance.now();
  private readonly timer = setInterval(() => this.tick(), tickMs).unref();

  /** How long what is read at that instant may have waited for this process, in milliseconds. */
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
