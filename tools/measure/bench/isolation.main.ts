import { parseArgs } from 'node:util';
import { BenchDatabase } from './bench-database.ts';
import { CalledProcess, runToEnd } from './child-processes.ts';
import { bundle } from './contender.ts';
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
import { makeMerchants, makeSecrets, writeBenchCertificate } from './merchants.ts';
import { Neighbours } from './neighbours.ts';
import type { ReceiverPorts } from './receiver.main.ts';
import {
  atLeast,
  atMost,
  type Goal,
  machineFacts,
  print,
  printGoals,
  printTable,
  ratioOf,
  show,
  spreadOf,
  writeJson,
} from './report.ts';

interface IsolationFigures {
  runs: HealthyRuns;
  receivers: HangingReceiversRun;
  stored: StoredRuns;
}

const goalsOf = { p99Ratio: 1.1, p99OverLoadRatio: 1.15, p99SharedRatio: 1.3, deviations: 0, kibEach: 90, storedRatio: 0.95 };

/** Prints tables, goals and audit, and writes the JSON file. True when the audits found nothing. */
function reportIsolation(figures: IsolationFigures, context: { scale: unknown; postgres: string }): boolean {
  const { runs, receivers, stored } = figures;
  const healthyRow = (name: string, measured: HealthyRun[]) => [
    name,
    show(spreadOf(measured.map(({ p50Ms }) => p50Ms)), 1),
    show(spreadOf(measured.map(({ p99Ms }) => p99Ms)), 1),
    String(Math.max(...measured.map(({ hanging }) => hanging))),
  ];
  printTable(
    ['healthy merchants, event to POST', 'p50 ms', 'p99 ms', 'hanging at the end'],
    company.map(beside => healthyRow(`beside ${beside}`, runs[beside])),
  );
  print(`${receivers.requests} requests hanging at once: ${receivers.kibEach.toFixed(1)} KiB of memory each; `);
  print(`healthy merchants meanwhile: p99 ${receivers.healthyP99Ms.toFixed(1)} ms\n`);
  printTable(
    ['throughput', 'webhooks/s'],
    [
      ['empty table', show(spreadOf(stored.empty.map(({ perSecond }) => perSecond)), 0)],
      [`${stored.stored} undelivered rows`, show(spreadOf(stored.full.map(({ perSecond }) => perSecond)), 0)],
    ],
  );
  const deviations = [...Object.values(runs).flat(), receivers, ...stored.empty, ...stored.full].flatMap(run => run.deviations);
  const goals = goalsReached(figures, deviations.length);
  printGoals(goals);
  for (const deviation of deviations) print(`AUDIT ${deviation}`);
  if (deviations.length === 0) print('audit: every healthy payment has exactly one POST, ACKED_HTTP and SETTLED');
  print(writeJson('isolation', { machine: machineFacts(), ...context, ...figures, goals }));
  return deviations.length === 0;
}

function goalsReached({ runs, receivers, stored }: IsolationFigures, deviations: number): Goal[] {
  const p99s = (measured: HealthyRun[]) => measured.map(({ p99Ms }) => p99Ms);
  const [alone, answering, hanging, sharedAlone, sharedHanging] = company.map(beside => p99s(runs[beside]));
  const slower = ratioOf(hanging!, alone!);
  const slowerShared = ratioOf(sharedHanging!, sharedAlone!);
  const slowerThanLoad = ratioOf(hanging!, answering!);
  const rates = (measured: { perSecond: number }[]) => measured.map(({ perSecond }) => perSecond);
  const kept = ratioOf(rates(stored.full), rates(stored.empty));
  return [
    atMost('healthy p99, one hanging / none', goalsOf.p99Ratio, { value: slower.median, shown: show(slower) }),
    atMost('healthy p99, one hanging / one that answers', goalsOf.p99OverLoadRatio, {
      value: slowerThanLoad.median,
      shown: show(slowerThanLoad),
    }),
    atMost('healthy p99 at one origin, one hanging there / none', goalsOf.p99SharedRatio, {
      value: slowerShared.median,
      shown: show(slowerShared),
    }),
    atMost('healthy payments lost, doubled or reversed', goalsOf.deviations, { value: deviations, shown: String(deviations) }),
    atMost('memory per hanging TLS request, KiB', goalsOf.kibEach, {
      value: receivers.kibEach,
      shown: receivers.kibEach.toFixed(1),
    }),
    atLeast('throughput, stored rows / empty table', goalsOf.storedRatio, { value: kept.median, shown: show(kept) }),
  ];
}

/** `npm run bench:isolation`; see docs/explanation/performance.md. */
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

async function open(database: BenchDatabase, neighbours: Neighbours, hanging: number): Promise<IsolationFixture> {
  const [secrets, certificate] = [makeSecrets(database.home), await writeBenchCertificate(database.home)];
  const receiver = new CalledProcess(bundle('receiver'));
  const ports = await receiver.call<ReceiverPorts>('open', {
    ...certificate,
    healthy: healthyMerchants + 2,
    hanging,
    silentPath,
  });
  const [shared, ...others] = ports.healthy;
  const [further, ...healthy] = makeMerchants(1_001, others, secrets);
  const [silent] = makeMerchants(4_001, [shared!], { ...secrets, path: silentPath });
  const merchants = {
    healthy,
    crowd: makeMerchants(
      3_001,
      healthy.map(() => shared!),
      secrets,
    ),
    hanging: makeMerchants(5_001, ports.hanging, secrets),
  };
  const all = [further!, silent!, ...merchants.healthy, ...merchants.crowd, ...merchants.hanging];
  neighbours.know(all.map(({ route }) => route));
  const parties = { further: further!, silent: silent!, ...merchants };
  return { database, neighboursUrl: neighbours.url, secrets, certificate, receiver, ...parties };
}

runToEnd(async () => {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const scale = scales[values.quick ? 'quick' : 'full'];
  const database = await BenchDatabase.start();
  const neighbours = await Neighbours.start();
  try {
    const fixture = await open(database, neighbours, Math.ceil(scale.receivers.requests / hangingPerEndpoint));
    const runs = Object.fromEntries(company.map(beside => [beside, [] as HealthyRun[]])) as HealthyRuns;
    for (let round = 0; round < scale.rounds; round++) {
      for (const beside of company) runs[beside].push(await runHealthy(fixture, scale.merchant, beside));
    }
    const stored = await runStored(fixture, scale.stored);
    const receivers = await runHangingReceivers(fixture, scale.receivers);
    const isExact = reportIsolation({ runs, receivers, stored }, { scale, postgres: await database.version() });
    process.exitCode = isExact ? 0 : 1;
  } finally {
    await database.stop();
  }
});
