/** Cancels a timer; harmless when it has fired. */
export type CancelTimer = () => void;

/** Time as decisions see it. Injected everywhere, so that a test or a simulation can drive it. */
export abstract class Clock {
  /** Monotonic milliseconds of this process (P-T2). No decision about a payment uses another clock. */
  abstract nowMs(): number;
  /** Wall clock, milliseconds since 1970: for lifetimes that outlast a process, for records and for people. */
  abstract epochMs(): number;
  abstract after(delayMs: number, run: () => void): CancelTimer;
  /** Resolves once the event loop has polled for I/O (P-T3): what the kernel already holds has then been read. */
  abstract pollTurn(): Promise<void>;
}

/** Resolves when that much time has passed. */
export function passed(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => void clock.after(ms, resolve));
}
