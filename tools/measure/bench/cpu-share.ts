import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Short, so that a process that used up its share waits for milliseconds. */
const periodUs = 20_000;

/** A share of a core that processes have together, by the quota of a control group; Linux as root only. */
export class CpuShare {
  /** In the words of version 1, where it is there, and of version 2. */
  private readonly isFirst = existsSync('/sys/fs/cgroup/cpu');
  private readonly folder: string;

  constructor(share: number, pids: readonly number[], name = '') {
    this.folder = join(this.isFirst ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup', `paycode-bench-${process.pid}${name}`);
    mkdirSync(this.folder);
    this.allow(Math.round(share * periodUs));
    // They get it on a busy machine too.
    this.write(this.isFirst ? 'cpu.shares' : 'cpu.weight', 10_000);
    this.add(pids);
  }

  /** Processes that they start from now on are within it, too. A session of PostgreSQL may have ended by now. */
  add(pids: readonly number[]): void {
    for (const pid of pids) if (existsSync(`/proc/${pid}`)) this.write('cgroup.procs', pid);
  }

  /** Gives all of them the whole core again. */
  lift(): void {
    this.allow(undefined);
  }

  /** The processes have ended by then. */
  close(): void {
    rmdirSync(this.folder);
  }

  private allow(quotaUs: number | undefined): void {
    if (!this.isFirst) return this.write('cpu.max', `${quotaUs ?? 'max'} ${periodUs}`);
    this.write('cpu.cfs_period_us', periodUs);
    this.write('cpu.cfs_quota_us', quotaUs ?? -1);
  }

  private write(file: string, value: string | number): void {
    writeFileSync(join(this.folder, file), String(value));
  }
}
