/** `npm run bench -- cells`: a platform that grows from 1 to 2 and 4 cells; then a move, and kills in a cell, under load (docs/explanation/performance.md). */
import { setTimeout as pause } from 'node:timers/promises';
import { type Cell, Cells } from './cells.ts';
import { type Burst, type Contender, measureBurst, measureSteady, platformContender, type Steady } from './delivery-rounds.ts';
import { makeMerchants } from './merchants.ts';
import { atLeast, atMost, median, percentile, printTable, progress, report, show, spreadOf } from './report.ts';
import { type BenchFixture, runBenchmark } from './run-benchmark.ts';

/** Payments of each cell; those that warm up are not counted. */
const scales = {
  quick: { rounds: 1, warmUp: 300, burst: 500, steadySeconds: 5 },
  full: { rounds: 3, warmUp: 1_500, burst: 1_500, steadySeconds: 15 },
};
type Scale = typeof scales.full;
const endpoints = 20;
const goals = { ratios: { 2: 1.8, 4: 3.2 }, latency: 1, others: 1.2 };

interface Size {
  name: string;
  cells: number;
  /** Payments per second of each burst. */
  rates: number[];
  steady: Steady;
  deviations: string[];
}

interface Disturbance {
  name: string;
  /** Cells whose payments it concerns. */
  concerned: string[];
  mayRepeat: boolean;
  run(cells: Cells): Promise<unknown>;
}

const disturbances: Disturbance[] = [
  { name: 'partitions move from d to c', concerned: ['c', 'd'], mayRepeat: false, run: cells => cells.move('48-55', 'c') },
  killIn('d', 'dispatcher', ({ platform }) => platform.dispatcher.kill()),
  killIn('d', 'scheduler', ({ platform }) => platform.scheduler.kill()),
  killIn('d', 'PostgreSQL', ({ database }) => database.crash()),
  // All partitions of the others were its own.
  killIn('main', 'dispatcher', ({ platform }) => platform.dispatcher.kill()),
];

function killIn(name: string, what: string, kill: (cell: Cell) => Promise<unknown>): Disturbance {
  const run = async ({ all }: Cells) => {
    const cell = all.find(each => each.name === name)!;
    await kill(cell);
    await cell.revive();
  };
  return { name: `the ${what} of ${name} is killed`, concerned: [name], mayRepeat: what !== 'scheduler', run };
}

/** p99 from event to POST in milliseconds: of the other cells without and with it, and of those that it concerns. */
interface Disturbed {
  name: string;
  p99s: [quiet: number, others: number, concerned: number];
  /** Payments that were posted twice, as they may be. */
  repeated: number;
  deviations: string[];
}

async function measure(fixture: BenchFixture, scale: Scale): Promise<boolean> {
  const merchants = makeMerchants(fixture.config, fixture.ports.healthy);
  const cells = await Cells.start(fixture);
  try {
    await cells.growTo(1);
    const ofMain = await platformContender('cells', cells.all[0]!.platform, { ...fixture, merchants, brokers: cells.brokers });
    const audited = { isDone: cells.isDone.bind(cells), deviations: cells.deviations.bind(cells) };
    const contender: Contender = { ...ofMain, ...audited };
    const sizes: Size[] = [];
    for (const count of [1, 2, 4]) {
      await cells.growTo(count);
      sizes.push(await measureSize(contender, fixture, { ...scale, cells: count }));
    }
    const load = { perSecond: sizes.at(-1)!.steady.perSecond, seconds: scale.steadySeconds };
    const inTime = () => pause((load.seconds * 1_000) / 3);
    const round: Round = work =>
      measureSteady(contender, fixture.receiver, { ...load, beside: work && (() => inTime().then(work)) });
    const disturbed: Disturbed[] = [];
    for (const each of disturbances) disturbed.push(await disturb(each, cells, round));
    return reportCells(sizes, disturbed);
  } finally {
    await cells.stop();
  }
}

async function measureSize(contender: Contender, fixture: BenchFixture, scale: Scale & { cells: number }): Promise<Size> {
  const { cells, rounds, warmUp, burst, steadySeconds: seconds } = scale;
  await measureBurst(contender, fixture, cells * warmUp);
  const bursts: Burst[] = [];
  for (let round = 0; round < rounds; round++) bursts.push(await measureBurst(contender, fixture, cells * burst));
  const rates = bursts.map(({ perSecond }) => perSecond);
  const steady = await measureSteady(contender, fixture.receiver, { perSecond: Math.round(median(rates) / 2), seconds });
  const deviations = [...bursts, steady].flatMap(round => round.deviations);
  return { name: `${cells} cells`, cells, rates, steady, deviations };
}

/** A steady load; the work begins after a third of it. */
type Round = (work?: () => Promise<unknown>) => Promise<Steady>;

/** A quiet round, and one with the disturbance. */
async function disturb({ name, concerned, mayRepeat, run }: Disturbance, cells: Cells, round: Round): Promise<Disturbed> {
  progress(name);
  const quiet = await round();
  cells.mayRepeat = mayRepeat ? concerned : [];
  const after = await round(() => run(cells));
  cells.mayRepeat = [];
  const p99Of = async ({ latencies }: Steady, isConcerned: boolean) => {
    const payments = { firstId: Math.min(...latencies.keys()), count: latencies.size };
    const own = new Set((await cells.endsOf('verdicts', payments, concerned)).map(({ transactionId }) => transactionId));
    const counted = [...latencies].filter(([id]) => own.has(id) === isConcerned);
    return percentile(counted.map(([, ms]) => ms), 0.99); // prettier-ignore
  };
  const deviations = [...quiet.deviations, ...after.deviations];
  return {
    name,
    p99s: [await p99Of(quiet, false), await p99Of(after, false), await p99Of(after, true)],
    repeated: cells.repeated,
    deviations,
  };
}

function reportCells(sizes: readonly Size[], disturbed: readonly Disturbed[]): boolean {
  const [one, ...grown] = sizes as [Size, ...Size[]];
  const timesOne = ({ rates }: Size) => median(rates) / median(one.rates);
  printTable(
    ['cells', 'payments/s, everything at once', 'times one', 'at half of it, events/s', 'p50 ms', 'p99 ms'],
    sizes.map(size => [
      String(size.cells),
      show(spreadOf(size.rates)),
      timesOne(size).toFixed(2),
      ...[size.steady.perSecond, size.steady.p50Ms, size.steady.p99Ms].map(value => value.toFixed(0)),
    ]),
  );
  printTable(
    ['4 cells, p99 from event to POST', 'others, quiet', 'others', 'concerned', 'second POSTs'],
    disturbed.map(({ name, p99s, repeated }) => [name, ...[...p99s, repeated].map(value => value.toFixed(0))]),
  );
  const growth = grown.flatMap(size => [
    atLeast(`${size.name}, times the payments of one`, goals.ratios[size.cells as 2 | 4], timesOne(size)),
    atMost(`${size.name}, p99 at half, times that of one`, goals.latency, size.steady.p99Ms / one.steady.p99Ms),
  ]);
  const apart = disturbed.map(({ name, p99s: [quiet, others] }) =>
    atMost(`${name}: p99 of the others, times quiet`, goals.others, others / quiet),
  );
  const found = [...sizes, ...disturbed].flatMap(({ name, deviations }) => deviations.map(each => `${name}: ${each}`));
  return report([...growth, ...apart], found);
}

runBenchmark(scales, () => ({ healthy: endpoints, hanging: 0 }), measure);
