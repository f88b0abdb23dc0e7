/** `npm run bench:isolation`: how merchants that do not answer affect healthy ones (docs/explanation/performance.md). */
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { serializeNotification } from '@paycode/dto';
import { type CalledProcess, until } from './child-processes.ts';
import {
  type Burst,
  type Contender,
  latenciesOf,
  measureBurst,
  measureSteady,
  newPayments,
  type Payments,
  platformContender,
  untilEnded,
} from './delivery-rounds.ts';
import { type BenchMerchant, makeMerchants, sampleNotification } from './merchants.ts';
import { type PlatformFixture, PlatformUnderTest } from './platform-under-test.ts';
import type { Arrivals } from './receiver.main.ts';
import { atLeast, atMost, percentile, print, printTable, progress, ratioOf, report, show, spreadOf } from './report.ts';
import { type BenchFixture, runBenchmark } from './run-benchmark.ts';

/** The fixture that the parts of bench:isolation share. */
interface IsolationFixture extends PlatformFixture {
  receiver: CalledProcess;
  healthy: BenchMerchant[];
  /** One more that answers like these. */
  further: BenchMerchant;
  /** As many healthy merchants, whose URLs all have one origin, and a merchant there whose path never answers. */
  crowd: BenchMerchant[];
  silent: BenchMerchant;
  /** One merchant per endpoint that never answers. */
  hanging: BenchMerchant[];
}

let platforms = 0;

/** A platform on fresh databases: nothing of one measurement waits in the next. */
function freshPlatform(fixture: IsolationFixture, dispatcher: Record<string, string> = {}): Promise<PlatformUnderTest> {
  return PlatformUnderTest.start({ ...fixture, name: `isolation_${++platforms}`, dispatcher });
}

/** Payments of these merchants on that platform. */
function loadOf(
  name: string,
  platform: PlatformUnderTest,
  fixture: IsolationFixture & { merchants: BenchMerchant[] },
): Promise<Contender> {
  return platformContender(name, platform, fixture);
}

/** 99 healthy merchants, alone, beside one more that answers and beside one that never does; then the same 99 at one origin. */
interface HangingMerchantScale {
  healthyPerSecond: number;
  /** Of the one beside them. */
  besidePerSecond: number;
  seconds: number;
  ackWindowMs: number;
  /** Payments before anything counts: connections to all endpoints are open then, and the code of the hot path is compiled. */
  warmUp: number;
}

/**
 * The further merchant beside the healthy ones. One that answers shows the cost of the load itself; the difference is the
 * effect of hanging.
 */
const company = [
  'nobody',
  'one that answers',
  'one that hangs',
  'nobody, all at one origin',
  'one that hangs, all at one origin',
] as const;
type Company = (typeof company)[number];
type HealthyRuns = Record<Company, HealthyRun[]>;

type HealthyRun = Awaited<ReturnType<typeof runHealthy>>;

/** One run on a fresh platform. */
async function runHealthy(fixture: IsolationFixture, scale: HangingMerchantScale, beside: Company) {
  progress(`healthy merchants beside ${beside}`);
  const platform = await freshPlatform(fixture, { ACK_WINDOW_MS: String(scale.ackWindowMs) });
  const { merchants, other } = partiesOf(fixture, beside);
  const healthy = await loadOf('healthy', platform, { ...fixture, merchants });
  const further = await loadOf(beside, platform, { ...fixture, merchants: [other] });
  try {
    await measureBurst(healthy, fixture, scale.warmUp);
    const payments = newPayments(scale.healthyPerSecond * scale.seconds);
    await healthy.prepare(payments);
    await further.prepare(newPayments(scale.besidePerSecond * scale.seconds));
    await fixture.receiver.call('reset');
    const sent = beside.startsWith('nobody') ? undefined : further.send(scale.besidePerSecond);
    const { startedMs } = await healthy.send(scale.healthyPerSecond);
    await untilEnded(healthy, fixture.receiver, payments);
    await sent;
    const arrivals = await fixture.receiver.call<Arrivals>('arrivals');
    const schedule = { payments, startedMs, perSecond: scale.healthyPerSecond };
    const latencies = [...latenciesOf(arrivals, schedule).values()];
    return {
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      /** POSTs to the hanging merchant under way at the end. */
      hanging: await fixture.receiver.call<number>('hanging'),
      // Of the healthy ones: receivers see the payments of both.
      deviations: await healthy.deviations(
        payments,
        arrivals.transactionIds.filter(id => isOf(payments, id)),
      ),
    };
  } finally {
    await further.stop();
    await healthy.stop();
  }
}

function partiesOf(fixture: IsolationFixture, beside: Company): { merchants: BenchMerchant[]; other: BenchMerchant } {
  if (beside.endsWith('all at one origin')) return { merchants: fixture.crowd, other: fixture.silent };
  return { merchants: fixture.healthy, other: beside === 'one that hangs' ? fixture.hanging[0]! : fixture.further };
}

function isOf({ firstId, count }: Payments, id: number): boolean {
  return id >= firstId && id < firstId + count;
}

/** Thousands of receivers that never answer, all at once: memory of each, and the healthy ones meanwhile. */
interface HangingReceiversScale {
  requests: number;
  healthyPerSecond: number;
}

const healthySeconds = 5;
const fillTimeoutMs = 240_000;

async function runHangingReceivers(fixture: IsolationFixture, scale: HangingReceiversScale) {
  progress(`${scale.requests} requests that hang at once`);
  // Nothing times out while they are counted.
  const platform = await freshPlatform(fixture, { ACK_WINDOW_MS: '600000' });
  const healthy = await loadOf('healthy', platform, { ...fixture, merchants: fixture.healthy });
  const hanging = await loadOf('hanging', platform, { ...fixture, merchants: fixture.hanging });
  const sendHealthy = () =>
    measureSteady(healthy, fixture.receiver, { perSecond: scale.healthyPerSecond, seconds: healthySeconds });
  try {
    await sendHealthy();
    const before = platform.dispatcher.residentBytes;
    await hanging.prepare(newPayments(scale.requests));
    await hanging.send(Infinity);
    const isFull = async () => (await fixture.receiver.call<number>('hanging')) >= scale.requests;
    await until('hanging requests', isFull, { withinMs: fillTimeoutMs, everyMs: 100 });
    // Resident memory of the dispatcher for each request under way.
    const kibEach = (platform.dispatcher.residentBytes - before) / 1_024 / scale.requests;
    const { p99Ms, deviations } = await sendHealthy();
    return { requests: scale.requests, kibEach, healthyP99Ms: p99Ms, deviations };
  } finally {
    await hanging.stop();
    await healthy.stop();
  }
}

/** Throughput beside many stored deliveries of a merchant that does not answer, against an empty table. */
interface StoredScale {
  stored: number;
  rounds: number;
  burst: number;
}

interface StoredRuns {
  stored: number;
  empty: Burst[];
  full: Burst[];
}

const pageRows = 50_000;

async function runStored(fixture: IsolationFixture, { stored, rounds, burst }: StoredScale): Promise<StoredRuns> {
  progress(`throughput beside ${stored} stored deliveries`);
  const [emptyPlatform, fullPlatform] = [await freshPlatform(fixture), await freshPlatform(fixture)];
  const empty = await loadOf('empty table', emptyPlatform, { ...fixture, merchants: fixture.healthy });
  const full = await loadOf(`${stored} stored`, fullPlatform, { ...fixture, merchants: fixture.healthy });
  try {
    await store(fixture, fullPlatform, stored);
    const runs: StoredRuns = { stored, empty: [], full: [] };
    const measure = (contender: Contender) => measureBurst(contender, fixture, burst);
    for (let round = 0; round <= rounds; round++) {
      const [first, second] = [await measure(empty), await measure(full)];
      // The first round only warms up.
      if (round > 0) runs.empty.push(first);
      if (round > 0) runs.full.push(second);
    }
    return runs;
  } finally {
    await empty.stop();
    await full.stop();
  }
}

/** As ingest would have left them: waiting, unclaimed, in all shards. */
async function store(
  { database, secrets, hanging }: IsolationFixture,
  platform: PlatformUnderTest,
  count: number,
): Promise<void> {
  const merchantId = hanging[0]!.merchantId;
  const payload = new PayloadSealer(KeyRing.parse(secrets.payloadKeys)).seal(
    serializeNotification(sampleNotification(1, merchantId)),
  );
  const sql = `
    insert into delivery (transaction_id, shard, seq, epoch, merchant_id, kind, status, reversible, completed_at, payload)
    select i, i % 256, nextval('delivery_seq'), 0, $1, 'PURCHASE', 'SUCCESS', true, now(), $2 from generate_series($3::int, $4::int) i`;
  for (let first = 1; first <= count; first += pageRows)
    await database.query(platform.databases.dispatcher, sql, [merchantId, payload, first, Math.min(count, first + pageRows - 1)]);
  await database.query(platform.databases.dispatcher, 'analyze delivery');
}

interface IsolationFigures {
  runs: HealthyRuns;
  receivers: Awaited<ReturnType<typeof runHangingReceivers>>;
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

function reportIsolation({ runs, receivers, stored }: IsolationFigures): boolean {
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
  return report(goals, deviations);
}

function merchantsOf(fixture: BenchFixture): IsolationFixture {
  const { ports, config } = fixture;
  const [shared, ...others] = ports.healthy;
  const [further, ...healthy] = makeMerchants(config, others);
  const [silent] = makeMerchants(config, [shared!], silentPath);
  const crowd = makeMerchants(
    config,
    healthy.map(() => shared!),
  );
  const hanging = makeMerchants(config, ports.hanging);
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
    return reportIsolation({ runs, receivers, stored });
  },
);
