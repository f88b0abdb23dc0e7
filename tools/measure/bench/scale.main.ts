/** `npm run bench -- scale`: 1 to 8 dispatchers, each with the same share of a core (docs/explanation/performance.md). */
import { type Burst, type Fixture, measureBurst } from './delivery-rounds.ts';
import { type BenchMerchant, makeMerchants } from './merchants.ts';
import { median, print, printTable, progress, report } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';
import { ScaledPlatform } from './scaled-platform.ts';

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
