/** A platform whose dispatchers come and go, each with the same share of a processor. */
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Burst, type Contender, type Fixture, measureBurst, platformContender } from './delivery-rounds.ts';
import { type BenchMerchant, makeMerchants } from './merchants.ts';
import { until } from './meters.ts';
import { type PlatformFixture, PlatformUnderTest, type ServiceUnderTest } from './platform-under-test.ts';
import { median, print, printTable, progress, report } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';

/** Partitions follow a new replica within a few heartbeats. */
const sharedWithinMs = 60_000;

class ScaledPlatform {
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

/** `npm run bench -- scale`: 1 to 8 dispatchers, each with the same share of a core (docs/explanation/performance.md). */
interface BurstRow {
  replicas: number;
  perSecond: number;
  cpuUs: { dispatcher: number; scheduler: number; database: number };
  shards: number[];
  deviations: string[];
}

/** Payments for each dispatcher of a burst, and to warm each one up. */
const scales = {
  quick: { replicas: [1, 2, 4], burstEach: 600, warmUpEach: 1_500, rounds: 2 },
  full: { replicas: [1, 2, 4, 8], burstEach: 1_500, warmUpEach: 2_000, rounds: 3 },
};
/** Of a core, for each dispatcher: eight of them leave room for everything else on two cores. */
const coreShare = 0.1;
const endpoints = 20;
/** Few at first: the first payments cost most. */
const warmUpShares = [0.02, 0.08, 0.2, 0.3, 0.4];

/** All at once for dispatchers without a connection; then again while all but one of them restart, with 80 % for one merchant. None may be reversed. */
async function coldFleet(
  fixture: Fixture,
  { scaled, merchants, most, burst }: { scaled: ScaledPlatform; merchants: BenchMerchant[]; most: number; burst: number },
): Promise<string[]> {
  const deviations: string[] = [];
  const measure = async (name: string, called: BenchMerchant[], meanwhile?: () => Promise<unknown>) => {
    const contender = await scaled.contender(name, called);
    const [found] = await Promise.all([measureBurst(contender, fixture, burst), meanwhile?.()]);
    print(`${name}: ${burst} payments, ${found.deviations.join('; ') || 'all settled'}`);
    deviations.push(...found.deviations);
  };
  await scaled.unlimited(async () => {
    await measure(`${most} cold dispatchers`, merchants);
    const [hot, ...others] = merchants;
    const skewed = others.flatMap(other => [hot!, hot!, hot!, hot!, other]);
    await measure('restarted beside a merchant with 80 %', skewed, async () => {
      await scaled.shrinkTo(1);
      await scaled.growTo(most);
    });
  });
  return deviations;
}

function rowOf(replicas: number, bursts: readonly Burst[], shards: number[]): BurstRow {
  const cpuOf = (part: RegExp) =>
    median(
      bursts.map(({ cpuUsBy }) =>
        Object.entries(cpuUsBy).reduce((total, [name, us]) => (part.test(name) ? total + us : total), 0),
      ),
    );
  return {
    replicas,
    perSecond: median(bursts.map(({ perSecond }) => perSecond)),
    cpuUs: { dispatcher: cpuOf(/^dispatcher/), scheduler: cpuOf(/^scheduler/), database: cpuOf(/^PostgreSQL/) },
    shards,
    deviations: bursts.flatMap(({ deviations }) => deviations),
  };
}

function reportScale(
  rows: readonly BurstRow[],
  { deviations, ...context }: { scale: typeof scales.full; postgres: string; deviations: string[] },
): boolean {
  print(
    `each dispatcher has ${coreShare * 100} % of a core (quota of a control group), ${context.scale.burstEach} payments each`,
  );
  printTable(
    ['dispatchers', 'payments/s', 'beside one', 'CPU us: dispatchers', 'scheduler', 'PostgreSQL', 'shards'],
    rows.map(({ replicas, perSecond, cpuUs, shards }) => [
      String(replicas),
      perSecond.toFixed(0),
      (perSecond / rows[0]!.perSecond).toFixed(2),
      ...[cpuUs.dispatcher, cpuUs.scheduler, cpuUs.database].map(us => us.toFixed(0)),
      shards.join(' '),
    ]),
  );
  const all = [...deviations, ...rows.flatMap(row => row.deviations)];
  return report({ name: 'scale', goals: [], deviations: all, figures: { ...context, coreShare, rows } });
}

runBenchmark(
  scales,
  () => ({ healthy: endpoints, hanging: 0 }),
  async (fixture, scale) => {
    const merchants = makeMerchants(1_001, fixture.ports.healthy, fixture.secrets);
    fixture.neighbours.know(merchants.map(({ route }) => route));
    const scaled = await ScaledPlatform.start(fixture, coreShare);
    const rows: BurstRow[] = [];
    const deviations: string[] = [];
    try {
      const most = scale.replicas.at(-1)!;
      await scaled.growTo(most);
      deviations.push(...(await coldFleet(fixture, { scaled, merchants, most, burst: scale.burstEach * most })));
      const warming = await scaled.contender(`${most} dispatchers warm up`, merchants);
      await scaled.unlimited(async () => {
        for (const share of warmUpShares) await measureBurst(warming, fixture, Math.round(scale.warmUpEach * share) * most);
      });
      // From many to one, so that one dispatcher is as warm as several: cold code costs up to three times as much.
      for (const replicas of scale.replicas.toReversed()) {
        progress(`${replicas} dispatchers`);
        await scaled.shrinkTo(replicas);
        const contender = await scaled.contender(`${replicas} dispatchers`, merchants);
        const bursts: Burst[] = [];
        for (let round = 0; round < scale.rounds; round++)
          bursts.push(await measureBurst(contender, fixture, scale.burstEach * replicas));
        rows.unshift(rowOf(replicas, bursts, await scaled.shards()));
      }
    } finally {
      await scaled.stop();
    }
    return reportScale(rows, { scale, postgres: await fixture.database.version(), deviations });
  },
);
