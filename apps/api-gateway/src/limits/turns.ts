import { DomainError } from '@paycode/service-runtime';

export interface TurnLimits {
  /** The service may get fewer: what it is given at once falls while its fastest answer is slow. */
  atOnceMax: number;
  /** Of those that go first, and of the others. */
  waitingMax: number;
  waitMsMax: number;
}

/** A refusal that costs next to nothing, and says when to come again. */
export function overloaded(): DomainError {
  const headers = { 'retry-after': '1' };
  return new DomainError({ status: 503, reason: 'OVERLOADED', message: 'too many requests in progress', headers });
}

const startAtOnce = 32;
const atOnceMin = 4;
const intervalMs = 500;
/** How much slower than twice the usual the fastest answer of an interval may be before it says that a queue stands in the service. */
const slackMs = 1_000;
/** The usual rises so slowly, by interval, that a minute of overload does not become usual. */
const usualGrowth = 1.01;
const shrink = 0.7;
const grow = 1.1;

/**
 * Turns of the requests to one service: so many are under way at once, and the others wait for a short time. Without them, a service under
 * overload works on requests whose clients have given up, and each of them is sent again.
 */
export class Turns {
  private underWay = 0;
  private atOnce: number;
  /** The fastest answer that was seen, of late. */
  private usualMs = Infinity;
  private interval = { sinceMs: performance.now(), fastestMs: Infinity, isFull: false };
  private readonly first = new Set<() => void>();
  private readonly others = new Set<() => void>();

  constructor(private readonly limits: TurnLimits) {
    this.atOnce = Math.min(startAtOnce, limits.atOnceMax);
  }

  /** Runs `work` when its turn comes. Rejects with DomainError 503 when none comes in time, or with the reason of `signal`. */
  async run<T>(work: () => Promise<T>, { isFirst, signal }: { isFirst: boolean; signal: AbortSignal }): Promise<T> {
    signal.throwIfAborted();
    if (this.underWay < Math.floor(this.atOnce)) this.underWay += 1;
    else await this.turn(isFirst ? this.first : this.others, signal);
    const sinceMs = performance.now();
    try {
      return await work();
    } finally {
      this.adapt(performance.now() - sinceMs);
      this.pass();
    }
  }

  private turn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
    const { waitingMax, waitMsMax } = this.limits;
    this.interval.isFull = true;
    if (waiting.size >= waitingMax) throw overloaded();
    return new Promise((resolve, reject) => {
      // Leaves the queue at once, so that no turn goes to a request that has given up.
      const leave = () => {
        waiting.delete(begin);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const begin = () => {
        leave();
        resolve();
      };
      const onAbort = () => {
        leave();
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        leave();
        reject(overloaded());
      }, waitMsMax);
      signal.addEventListener('abort', onAbort);
      waiting.add(begin);
    });
  }

  /** While requests wait: fewer at once when even the fastest answer is slow, else more. */
  private adapt(durationMs: number): void {
    const { sinceMs, isFull } = this.interval;
    const fastestMs = Math.min(this.interval.fastestMs, durationMs);
    this.interval.fastestMs = fastestMs;
    const nowMs = performance.now();
    if (nowMs - sinceMs < intervalMs) return;
    this.usualMs = Math.min(fastestMs, this.usualMs * usualGrowth);
    const factor = fastestMs > 2 * this.usualMs + slackMs ? shrink : grow;
    // While nobody waits, slow answers have another cause than the number of them.
    if (isFull) this.atOnce = Math.min(this.limits.atOnceMax, Math.max(atOnceMin, this.atOnce * factor));
    this.interval = { sinceMs: nowMs, fastestMs: Infinity, isFull: false };
  }

  /** The turn is free, or goes to the next that wait. */
  private pass(): void {
    this.underWay -= 1;
    while (this.underWay < Math.floor(this.atOnce)) {
      const [next] = this.first.size > 0 ? this.first : this.others;
      if (!next) return;
      this.underWay += 1;
      next();
    }
  }
}
