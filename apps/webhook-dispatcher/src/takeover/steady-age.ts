/** The store's clock goes forward by more than this between two looks only if it was set, in milliseconds. */
const stepMs = 1_000;
/** Steps that are remembered, the latest ones. */
const stepsMax = 100;

/**
 * Ages by the store's clock without what that clock was set forward while this process looked on: otherwise a step by B, or a fail-over to a server
 * with another clock, closes every payment that waits (P-T2). Without a step it changes nothing, and a payment reaches its true age all the same.
 */
export class SteadyAge {
  /** How far the store's clock is ahead of that of this process, at most. */
  private aheadMs: number | undefined;
  /** The latest first. */
  private readonly steps: { seenMs: number; forwardMs: number }[] = [];

  /** `storeMs`: what the store's clock said at some instant of this process's clock from `fromMs` to `toMs`. */
  look(storeMs: number, { fromMs, toMs }: { fromMs: number; toMs: number }): void {
    const forwardMs = storeMs - toMs - (this.aheadMs ?? Infinity);
    if (forwardMs > stepMs) this.steps.unshift({ seenMs: toMs, forwardMs });
    this.steps.splice(stepsMax);
    this.aheadMs = storeMs - fromMs;
  }

  /** The age of a row that the store's clock says to be `ageMs` old. */
  of(ageMs: number, nowMs: number): number {
    // Only a row from before a step is older than the time since then.
    return this.steps.reduce((age, { seenMs, forwardMs }) => {
      const sinceMs = nowMs - seenMs;
      return age > sinceMs ? Math.max(sinceMs, age - forwardMs) : age;
    }, ageMs);
  }
}
