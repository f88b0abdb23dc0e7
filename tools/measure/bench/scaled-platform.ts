/** A platform whose dispatchers come and go, each with the same share of a processor. */
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from './meters.ts';
import { type Contender, platformContender } from './contender.ts';
import type { BenchMerchant } from './merchants.ts';
import { type PlatformFixture, PlatformUnderTest } from './platform-under-test.ts';
import type { ServiceUnderTest } from './services.ts';

/** Partitions follow a new replica within a few heartbeats. */
const sharedWithinMs = 60_000;

export class ScaledPlatform {
  readonly dispatchers: ServiceUnderTest[];
  private readonly share: CpuShare;
  private readonly limited = new Set<number>();
  /** The load generator of the last contender. */
  private generator: number | undefined;

  private constructor(
    readonly platform: PlatformUnderTest,
    private readonly fixture: PlatformFixture,
    coreShare: number,
  ) {
    this.dispatchers = [platform.dispatcher];
    this.share = new CpuShare(coreShare);
    this.share.limit(platform.dispatcher.pid);
  }

  static async start(fixture: PlatformFixture, coreShare: number): Promise<ScaledPlatform> {
    return new ScaledPlatform(await PlatformUnderTest.start({ ...fixture, name: 'scale' }), fixture, coreShare);
  }

  /** CPU is charged to every dispatcher that runs now. */
  async contender(name: string, merchants: BenchMerchant[]): Promise<Contender> {
    this.endGenerator();
    const contender = await platformContender(name, this.platform, { ...this.fixture, merchants });
    this.generator = contender.processes['generator'];
    const { scheduler, generator } = contender.processes;
    const dispatchers = this.dispatchers.map(({ pid }, at): [string, number] => [`dispatcher ${at + 1}`, pid]);
    return { ...contender, processes: { scheduler: scheduler!, generator: generator!, ...Object.fromEntries(dispatchers) } };
  }

  /** Starts dispatchers, each with a whole core until it has its share of the shards. */
  async growTo(count: number): Promise<void> {
    while (this.dispatchers.length < count) {
      const added = await this.platform.addDispatcher();
      this.dispatchers.push(added);
    }
    await this.untilShared();
    for (const { pid } of this.dispatchers.slice(1)) if (!this.limited.has(pid)) this.limit(pid);
  }

  /** The last ones are told to stop, one after the other, and hand their shards over. */
  async shrinkTo(count: number): Promise<void> {
    while (this.dispatchers.length > count) await this.dispatchers.pop()!.stop();
    await this.untilShared();
  }

  /** Processor time without a limit, to warm up. */
  async unlimited(work: () => Promise<unknown>): Promise<void> {
    this.share.lift();
    await work();
    this.share.restore();
  }

  /** Shards of each replica, the most first. */
  async shards(): Promise<number[]> {
    const sql = 'select count(*)::int as count from shard where owner is not null group by owner order by 1 desc';
    const rows = await this.fixture.database.query<{ count: number }>(this.platform.databases.dispatcher, sql);
    return rows.map(({ count }) => count);
  }

  async stop(): Promise<void> {
    this.endGenerator();
    await Promise.all([...this.dispatchers.map(each => each.kill()), this.platform.scheduler.kill()]);
    // The kernel lets go of a process a moment after it has ended.
    await pause(100);
    this.share.close();
  }

  private endGenerator(): void {
    if (this.generator !== undefined) process.kill(this.generator, 'SIGKILL');
    this.generator = undefined;
  }

  private limit(pid: number): void {
    this.share.limit(pid);
    this.limited.add(pid);
  }

  private untilShared(): Promise<void> {
    const replicas = this.dispatchers.length;
    return until(`shards of ${replicas} dispatchers`, async () => (await this.shards()).length === replicas, {
      withinMs: sharedWithinMs,
      everyMs: 200,
    });
  }
}

/** A share of a processor for each of some processes, by the quota of a control group; Linux as root only. */
/** Short, so that a process that used up its share waits for milliseconds. */
const periodUs = 20_000;
const controllers = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

class CpuShare {
  private readonly folders: string[] = [];

  /** `share` of one core, for each process. */
  constructor(private readonly share: number) {}

  /** @throws where control groups cannot be written. */
  limit(pid: number): void {
    const problems: string[] = [];
    for (const controller of controllers) {
      try {
        return this.limitIn(controller, pid);
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

  private limitIn(controller: string, pid: number): void {
    const folder = join(controller, `paycode-bench-${pid}`);
    mkdirSync(folder);
    try {
      writeQuota(folder, this.share);
      writeFileSync(join(folder, 'cgroup.procs'), String(pid));
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
