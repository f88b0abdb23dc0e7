import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds of the system's monotonic clock, which all processes of a machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** Waits until `isDone`; throws after `withinMs`, saying what was waited for. */
export async function until(
  what: string,
  isDone: () => Promise<boolean>,
  options: { withinMs: number; everyMs?: number },
): Promise<void> {
  const giveUpAt = performance.now() + options.withinMs;
  while (!(await isDone())) {
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within ${options.withinMs / 1_000} s`);
    await pause(options.everyMs ?? 10);
  }
}
