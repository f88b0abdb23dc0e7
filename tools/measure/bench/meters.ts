/** Time and processor time, as the system counts them (proc(5)); processor time on Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const ticksPerSecond = 100;

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

/** User and system time so far, in microseconds, at a resolution of 10 ms; NaN where the system does not tell. */
export function cpuUsOf(pid: number): number {
  const fields = statusFieldsOf(String(pid));
  return fields ? ticksToUs(Number(fields[11]) + Number(fields[12])) : NaN;
}

/** CPU time of a process, of its children and of those that have ended, in microseconds. */
export function cpuUsOfTree(pid: number): number {
  const processes = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  const children = processes.filter(child => statusFieldsOf(child)?.[1] === String(pid));
  const own = statusFieldsOf(String(pid));
  const ended = own ? ticksToUs(Number(own[13]) + Number(own[14])) : NaN;
  return children.reduce((sum, child) => sum + (cpuUsOf(Number(child)) || 0), cpuUsOf(pid) + ended);
}

/** Fields of /proc/<pid>/stat from the state on: the name before it may hold anything. */
function statusFieldsOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  } catch {
    return undefined;
  }
}

const ticksToUs = (ticks: number) => (ticks * 1_000_000) / ticksPerSecond;
