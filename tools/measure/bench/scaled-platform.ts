/** A platform whose dispatchers come and go, each with the same share of a processor. */
import { setTimeout as pause } from 'node:timers/promises';
import { CpuShare, until } from './meters.ts';
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
