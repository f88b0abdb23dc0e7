/** Time, processor time and memory, as the system counts them (proc(5)); processor time and memory on Linux only. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

export function residentBytesOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
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

/** Short, so that a process that used up its share waits for milliseconds. */
const periodUs = 20_000;
const controllers = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/** A share of a processor, by the quota of a control group; Linux as root only. */
export class CpuShare {
  private readonly folders: string[] = [];
  private readonly share: number;

  /** `share` of one core. */
  constructor(share: number) {
    this.share = share;
  }

  /** The processes have it together. @throws where control groups cannot be written */
  limit(...pids: number[]): void {
    const problems: string[] = [];
    for (const controller of controllers) {
      try {
        return this.limitIn(controller, pids);
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
    throw new Error(`a share of a processor needs root and a control group with a quota: ${problems.join('; ')}`);
  }

  /** Gives all of them the whole core again. Processes have ended by `close`. */
  lift(): void {
    for (const folder of this.folders) writeQuota(folder, undefined);
  }

  restore(): void {
    for (const folder of this.folders) writeQuota(folder, this.share);
  }

  close(): void {
    for (const folder of this.folders.splice(0)) rmdirSync(folder);
  }

  private limitIn(controller: string, pids: readonly number[]): void {
    const folder = join(controller, `paycode-bench-${pids[0]}`);
    mkdirSync(folder);
    try {
      writeQuota(folder, this.share);
      for (const pid of pids) writeFileSync(join(folder, 'cgroup.procs'), String(pid));
    } catch (error) {
      rmdirSync(folder);
      throw error;
    }
    this.folders.push(folder);
  }
}

/** In the words of version 1 and of version 2. */
function writeQuota(folder: string, share: number | undefined): void {
  const quotaUs = share === undefined ? undefined : Math.round(share * periodUs);
  if (folder.startsWith(controllers[0]!)) {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quotaUs ?? -1));
  } else writeFileSync(join(folder, 'cpu.max'), `${quotaUs ?? 'max'} ${periodUs}`);
}
