import type { CancelTimer } from './clock';

/** Waits that are shorter end when they say; nobody needs the others to the millisecond. */
const sharedFromMs = 1_000;
/** The longer ones end at whole multiples of this time on the clock of the process. */
const gridMs = 250;

interface Wake {
  timer: NodeJS.Timeout;
  waiters: Set<() => void>;
}

/** By instant. */
const wakes = new Map<number, Wake>();
/** The last one that has come. Its timer may have been some milliseconds early. */
let cameAtMs = 0;

export function after(delayMs: number, run: () => void): CancelTimer {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}

/**
 * Like `after`, but waits of a second or more end up to a quarter of a second early, together with others of the process: a process at
 * rest wakes up once for all of them. Waits that begin when they ended together, and last as long, end together again.
 */
export function afterTogether(delayMs: number, run: () => void): CancelTimer {
  if (delayMs < sharedFromMs) return after(delayMs, run);
  const atMs = Math.floor((nowMs() + delayMs) / gridMs) * gridMs;
  // Two waits for the same function are two.
  const waiter = () => run();
  wakeAt(atMs).waiters.add(waiter);
  return () => cancel(atMs, waiter);
}

function nowMs(): number {
  const now = performance.now();
  return cameAtMs > now && cameAtMs - now < gridMs ? cameAtMs : now;
}

function wakeAt(atMs: number): Wake {
  const wake = wakes.get(atMs) ?? { timer: setTimeout(() => come(atMs), atMs - performance.now()), waiters: new Set() };
  wakes.set(atMs, wake);
  return wake;
}

function come(atMs: number): void {
  cameAtMs = atMs;
  const waiters = wakes.get(atMs)?.waiters ?? [];
  wakes.delete(atMs);
  for (const wake of waiters) wake();
}

/** A timer that nobody waits for any more would keep the process from ending. */
function cancel(atMs: number, waiter: () => void): void {
  const wake = wakes.get(atMs);
  if (!wake?.waiters.delete(waiter) || wake.waiters.size > 0) return;
  clearTimeout(wake.timer);
  wakes.delete(atMs);
}
