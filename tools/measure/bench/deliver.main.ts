/** `npm run bench:deliver`: webhooks per second beside a bare loop (docs/explanation/performance.md). */
import { setTimeout as pause } from 'node:timers/promises';
import { bundle, CalledProcess, cpuUsOf } from './child-processes.ts';
import {
  type Burst,
  type Circumstances,
  type Contender,
  measureBurst,
  measureSteady,
  newPayments,
  platformContender,
  type Steady,
} from './delivery-rounds.ts';
import type { FloorResult } from './floor.main.ts';
import { makeMerchants } from './merchants.ts';
import { PlatformUnderTest, type Stored } from './platform-under-test.ts';
import { atLeast, atMost, median, print, printTable, ratioOf, report, show, spreadOf } from './report.ts';
import { type BenchFixture, runBenchmark } from './run-benchmark.ts';

type PerPayment = Awaited<ReturnType<typeof countWork>>;

interface FloorRound {
  perSecond: number;
  cpuUs: number;
}

interface DeliveryFigures {
  bursts: Map<string, Burst[]>;
  floor: FloorRound[];
  steadies: Map<string, Steady>;
  perPayment: { 'everything at once': PerPayment; 'half the knee': PerPayment };
  stored: Stored;
}

/** The payments that warm up are not counted. */
const scales = {
  quick: { rounds: 2, warmUp: 3_000, burst: 8_000, steadySeconds: 8 },
  full: { rounds: 3, warmUp: 40_000, burst: 20_000, steadySeconds: 15 },
};
const endpoints = 20;
/** An idle session of PostgreSQL may report its counters up to ten seconds late. */
const countersSettleMs = 11_000;
const floorConcurrency = 64;
const goalsOf = { cpu: 2.2, statements: 0.5, rows: 5, p99Ms: 30, reuse: 0.99 };

type Around = BenchFixture & Circumstances;

async function measure(around: Around, scale: typeof scales.full): Promise<boolean> {
  const [platform, paycode] = await openPlatform(around);
  const brokers = process.env['KAFKA_BROKERS'];
  const contenders = brokers ? [paycode, (await openPlatform(around, brokers))[1]] : [paycode];
  const { rounds, warmUp, burst, steadySeconds } = scale;
  const bursts = new Map(contenders.map(({ name }): [string, Burst[]] => [name, []]));
  const [steadies, floor, bare] = [new Map<string, Steady>(), [] as FloorRound[], await openFloor(around)];
  for (const contender of contenders) await measureBurst(contender, around, warmUp);
  await bare(warmUp);
  for (let round = 0; round < rounds; round++) {
    floor.push(await bare(burst));
    for (const contender of contenders) bursts.get(contender.name)!.push(await measureBurst(contender, around, burst));
  }
  // A separate burst, so that waiting for the counters disturbs no other figure.
  const atOnce = await countWork(platform, burst, () => measureBurst(paycode, around, burst));
  let atHalf = atOnce;
  for (const contender of contenders) {
    const knee = Math.max(...bursts.get(contender.name)!.map(({ perSecond }) => perSecond));
    const load = { perSecond: Math.round(knee / 2), seconds: steadySeconds };
    const run = async () => void steadies.set(contender.name, await measureSteady(contender, around.receiver, load));
    if (contender !== paycode) await run();
    else atHalf = await countWork(platform, load.perSecond * load.seconds, run);
  }
  const perPayment = { 'everything at once': atOnce, 'half the knee': atHalf };
  const figures = { bursts, floor, steadies, perPayment, stored: await platform.stored() };
  return reportDelivery(figures, contenders);
}

/** The platform with either transport. */
async function openPlatform(around: Around, brokers?: string): Promise<[PlatformUnderTest, Contender]> {
  const platform = await PlatformUnderTest.start({ ...around, name: brokers ? 'kafka' : 'postgres', brokers });
  const title = `Paycode, events through ${brokers ? 'Kafka' : 'PostgreSQL'}`;
  return [platform, await platformContender(title, platform, { ...around, brokers })];
}

async function openFloor({ certificate, merchants }: Around): Promise<(count: number) => Promise<FloorRound>> {
  const floor = new CalledProcess(bundle('floor'), { NODE_EXTRA_CA_CERTS: certificate.certFile });
  const urls = merchants.map(({ url }) => url);
  return async count => {
    const { firstId } = newPayments(count);
    const cpuBefore = cpuUsOf(floor.pid);
    const { elapsedMs } = await floor.call<FloorResult>('run', { firstId, count, urls, concurrency: floorConcurrency });
    return { perSecond: (count * 1_000) / elapsedMs, cpuUs: (cpuUsOf(floor.pid) - cpuBefore) / count };
  };
}

/** Statements and row inserts for each of `count` settled payments. */
async function countWork(platform: PlatformUnderTest, count: number, run: () => Promise<unknown>) {
  await pause(countersSettleMs);
  const before = await platform.use();
  await run();
  await pause(countersSettleMs);
  const after = await platform.use();
  const each = (part: 'services' | 'log', of: 'statements' | 'rowsInserted') => (after[part][of] - before[part][of]) / count;
  return {
    statements: each('services', 'statements'),
    rowsInserted: each('services', 'rowsInserted'),
    logStatements: each('log', 'statements'),
    logRowsInserted: each('log', 'rowsInserted'),
  };
}

function reportDelivery(figures: DeliveryFigures, contenders: readonly Contender[]): boolean {
  const { bursts, floor, steadies, perPayment, stored } = figures;
  printBursts(figures);
  printTable(
    ['at half of that, event to POST', 'events/s', 'p50 ms', 'p99 ms'],
    [...steadies].map(([name, { perSecond, p50Ms, p99Ms }]) => [
      name,
      String(perSecond),
      ...[p50Ms, p99Ms].map(ms => ms.toFixed(1)),
    ]),
  );
  const { dispatcher, scheduler } = stored;
  print(`stored per payment: ${dispatcher.toFixed(0)} bytes by the dispatcher, ${scheduler.toFixed(0)} by the scheduler\n`);
  const own = bursts.get(contenders[0]!.name)!;
  const cpuOf = ({ cpuUs }: { cpuUs: number }) => cpuUs;
  const { p99Ms, reuse } = steadies.get(contenders[0]!.name)!;
  const goals = [
    atMost('dispatcher CPU / floor', goalsOf.cpu, ratioOf(own.map(cpuOf), floor.map(cpuOf))),
    ...Object.entries(perPayment).flatMap(([load, { statements, rowsInserted, logStatements, logRowsInserted }]) => [
      atMost(`SQL statements per payment, ${load} (event log ${logStatements.toFixed(3)})`, goalsOf.statements, statements),
      atMost(`row inserts per payment, ${load} (event log ${logRowsInserted.toFixed(2)})`, goalsOf.rows, rowsInserted),
    ]),
    atMost('event to POST p99 at half the knee, ms', goalsOf.p99Ms, p99Ms),
    atLeast('connection reuse, everything at once', goalsOf.reuse, Math.min(...own.map(round => round.reuse))),
    atLeast('connection reuse, half the knee', goalsOf.reuse, reuse),
  ];
  const all = [...bursts, ...[...steadies].map(([name, steady]) => [name, [steady]] as const)];
  const deviations = all.flatMap(([name, rounds]) => rounds.flatMap(round => round.deviations.map(each => `${name}: ${each}`)));
  return report(goals, deviations);
}

/** Rates, and processor time by part: medians over the rounds. */
function printBursts({ bursts, floor }: DeliveryFigures): void {
  const column = <T>(rounds: T[], value: (round: T) => number, digits = 0) => show(spreadOf(rounds.map(value)), digits);
  const rates = (rounds: FloorRound[]) => [column(rounds, ({ perSecond }) => perSecond), column(rounds, ({ cpuUs }) => cpuUs)];
  const rows = [...bursts].map(([name, rounds]) => [name, ...rates(rounds), column(rounds, ({ reuse }) => reuse * 100, 2)]);
  const floorRow = ['floor: bare undici TLS loop', ...rates(floor), ''];
  printTable(['everything at once', 'webhooks/s', 'CPU us/webhook', 'reuse %'], [...rows, floorRow]);
  for (const [name, rounds] of bursts) {
    const each = Object.keys(rounds[0]!.cpuUsBy).map(
      part => `${part} ${median(rounds.map(({ cpuUsBy }) => cpuUsBy[part]!)).toFixed(0)}`,
    );
    print(`CPU us/webhook, ${name}: ${each.join(', ')}`);
  }
  print();
}

runBenchmark(
  scales,
  () => ({ healthy: endpoints, hanging: 0 }),
  async (fixture, scale) => {
    const merchants = makeMerchants(fixture.config, fixture.ports.healthy);
    return measure({ ...fixture, merchants }, scale);
  },
);
