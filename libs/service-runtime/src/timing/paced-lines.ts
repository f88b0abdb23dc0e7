import { BoundedMap } from './bounded-map';

const everyMs = 60_000;
const causesMax = 1_000;

/** Keeps a cause that repeats from filling the log: at most one line a minute each. */
export class PacedLines {
  private readonly causes = new BoundedMap<string, { count: number; loggedMs: number }>(causesMax);

  /** How often the cause came since its last line, when a line is due now; else 0. */
  due(cause: string): number {
    const { count, loggedMs } = this.causes.get(cause) ?? { count: 0, loggedMs: -Infinity };
    const nowMs = performance.now();
    const isDue = nowMs - loggedMs >= everyMs;
    this.causes.set(cause, isDue ? { count: 0, loggedMs: nowMs } : { count: count + 1, loggedMs });
    return isDue ? count + 1 : 0;
  }
}
