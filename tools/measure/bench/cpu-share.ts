import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
