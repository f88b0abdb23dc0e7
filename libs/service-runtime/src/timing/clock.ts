import { setTimeout as pause } from 'node:timers/promises';

/** Cancels a timer; harmless when it has fired. */
export type CancelTimer = () => void;

/** The time for all decisions. It is injected, so that a test or a simulation can control it. */
export abstract class Clock {
  /** Monotonic milliseconds of this process (P-T2). No decision about a payment uses another clock. */
  abstract nowMs(): number;
  /** Wall clock, milliseconds since 1970, for lifetimes that outlast a process, and for records that people read. */
  abstract epochMs(): number;
  abstract after(delayMs: number, run: () => void): CancelTimer;
  /** Resolves when the event loop has polled for I/O, so that the process has read what the kernel held (P-T3). */
  abstract pollTurn(): Promise<void>;
}

/** Resolves when that much time has passed. */
export function passed(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => void clock.after(ms, resolve));
}

export class SystemClock extends Clock {
  override nowMs(): number {
    return performance.now();
  }

  override epochMs(): number {
    return Date.now();
  }

  override after(delayMs: number, run: () => void): CancelTimer {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  }

  override pollTurn(): Promise<void> {
    return new Promise(resolve => setImmediate(resolve));
  }
}

/** Resolves when that much time has passed, or as soon as `signal` aborts. */
export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The outcome of `work`, or an error after `limitMs`; the work itself is not stopped. */
export async function withinTime<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
