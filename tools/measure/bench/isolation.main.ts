/** `npm run bench:isolation`: how merchants that do not answer affect healthy ones (docs/explanation/performance.md). */
import {
  company,
  type HangingMerchantScale,
  type HangingReceiversRun,
  type HangingReceiversScale,
  type HealthyRun,
  type HealthyRuns,
  type IsolationFixture,
  runHangingReceivers,
  runHealthy,
  runStored,
  type StoredRuns,
  type StoredScale,
} from './isolation-runs.ts';
import { makeMerchants } from './merchants.ts';
import { atLeast, atMost, print, printTable, ratioOf, report, show, spreadOf } from './report.ts';
import { type BenchFixture, runBenchmark } from './run-benchmark.ts';

interface IsolationFigures {
  runs: HealthyRuns;
  receivers: HangingReceiversRun;
  stored: StoredRuns;
}

interface IsolationScale {
  rounds: number;
  merchant: HangingMerchantScale;
  receivers: HangingReceiversScale;
  stored: StoredScale;
}

const rates = { healthyPerSecond: 200, besidePerSecond: 200 };
const scales: Record<'quick' | 'full', IsolationScale> = {
  quick: {
    rounds: 2,
    merchant: { ...rates, seconds: 12, ackWindowMs: 5_000, warmUp: 4_000 },
    receivers: { requests: 2_000, healthyPerSecond: 100 },
    stored: { stored: 100_000, rounds: 2, burst: 4_000 },
  },
  full: {
    rounds: 3,
    merchant: { ...rates, seconds: 60, ackWindowMs: 45_000, warmUp: 20_000 },
    receivers: { requests: 10_000, healthyPerSecond: 100 },
    stored: { stored: 1_000_000, rounds: 3, burst: 8_000 },
  },
};
const healthyMerchants = 99;
const silentPath = '/silent';
/** Below what an endpoint may have under way at first: all are sent at once. */
const hangingPerEndpoint = 50;
const goalsOf = { p99Ratio: 1.1, p99OverLoadRatio: 1.15, p99SharedRatio: 1.3, kibEach: 90, storedRatio: 0.95 };

function reportIsolation(figures: IsolationFigures, context: object): boolean {
  const { runs, receivers, stored } = figures;
  const column = <T>(of: T[], value: (run: T) => number, digits: number) => show(spreadOf(of.map(value)), digits);
  printTable(
    ['healthy merchants, event to POST', 'p50 ms', 'p99 ms', 'hanging at the end'],
    company.map(beside => [
      `beside ${beside}`,
      column(runs[beside], ({ p50Ms }) => p50Ms, 1),
      column(runs[beside], ({ p99Ms }) => p99Ms, 1),
      String(Math.max(...runs[beside].map(({ hanging }) => hanging))),
    ]),
  );
  print(`${receivers.requests} requests hanging at once: ${receivers.kibEach.toFixed(1)} KiB of memory each; `);
  print(`healthy merchants meanwhile: p99 ${receivers.healthyP99Ms.toFixed(1)} ms\n`);
  printTable(
    ['throughput', 'webhooks/s'],
    [
      ['empty table', column(stored.empty, ({ perSecond }) => perSecond, 0)],
      [`${stored.stored} undelivered rows`, column(stored.full, ({ perSecond }) => perSecond, 0)],
    ],
  );
  const deviations = [...Object.values(runs).flat(), receivers, ...stored.empty, ...stored.full].flatMap(run => run.deviations);
  const p99s = (measured: HealthyRun[]) => measured.map(({ p99Ms }) => p99Ms);
  const [alone, answering, hanging, sharedAlone, sharedHanging] = company.map(beside => p99s(runs[beside]));
  const perSecond = (measured: { perSecond: number }[]) => measured.map(run => run.perSecond);
  const goals = [
    atMost('healthy p99, one hanging / none', goalsOf.p99Ratio, ratioOf(hanging!, alone!)),
    atMost('healthy p99, one hanging / one that answers', goalsOf.p99OverLoadRatio, ratioOf(hanging!, answering!)),
    atMost('healthy p99 at one origin, one hanging there / none', goalsOf.p99SharedRatio, ratioOf(sharedHanging!, sharedAlone!)),
    atMost('healthy payments lost, doubled or reversed', 0, deviations.length),
    atMost('memory per hanging TLS request, KiB', goalsOf.kibEach, receivers.kibEach),
    atLeast(
      'throughput, stored rows / empty table',
      goalsOf.storedRatio,
      ratioOf(perSecond(stored.full), perSecond(stored.empty)),
    ),
  ];
  return report({ name: 'isolation', goals, deviations, figures: { ...context, ...figures } });
}

function merchantsOf(fixture: BenchFixture): IsolationFixture {
  const { ports, secrets, neighbours } = fixture;
  const [shared, ...others] = ports.healthy;
  const [further, ...healthy] = makeMerchants(1_001, others, secrets);
  const [silent] = makeMerchants(4_001, [shared!], { ...secrets, path: silentPath });
  const sharedPorts = healthy.map(() => shared!);
  const crowd = makeMerchants(3_001, sharedPorts, secrets);
  const hanging = makeMerchants(5_001, ports.hanging, secrets);
  neighbours.know([further!, silent!, ...healthy, ...crowd, ...hanging].map(({ route }) => route));
  return { ...fixture, further: further!, silent: silent!, healthy, crowd, hanging };
}

runBenchmark(
  scales,
  ({ receivers: { requests } }) => ({
    healthy: healthyMerchants + 2,
    hanging: Math.ceil(requests / hangingPerEndpoint),
    silentPath,
  }),
  async (bench, scale) => {
    const fixture = merchantsOf(bench);
    const runs = Object.fromEntries(company.map(beside => [beside, [] as HealthyRun[]])) as HealthyRuns;
    for (let round = 0; round < scale.rounds; round++) {
      for (const beside of company) runs[beside].push(await runHealthy(fixture, scale.merchant, beside));
    }
    const stored = await runStored(fixture, scale.stored);
    const receivers = await runHangingReceivers(fixture, scale.receivers);
    return reportIsolation({ runs, receivers, stored }, { scale, postgres: await fixture.database.version() });
  },
);
