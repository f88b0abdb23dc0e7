/** Wall clock, so that lifetimes are testable to the millisecond. */
export abstract class Clock {
  /** Epoch milliseconds. */
  abstract nowMs(): number;
}
