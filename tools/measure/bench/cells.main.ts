/** `npm run bench -- cells`: a platform that grows from 1 to 2 and 4 cells; then a move, and kills in a cell, under load (docs/explanation/performance.md). */
import { setTimeout as pause } from 'node:timers/promises';
import { type Cell, Cells } from './cells.ts';
import { type Burst, type Contender, measureBurst, measureSteady, platformContender, type Steady } from './delivery-rounds.ts';
import { makeMerchants } from './merchants.ts';
import { atLeast, atMost, median, percentile, print, printTable, progress, report, show, spreadOf } from './report.ts';
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
  cells: number;
  bursts: Burst[];
  steady: Steady;
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

interface Disturbing {
  cells: Cells;
  steady(beside?: () => Promise<unknown>): Promise<Steady>;
  seconds: number;
}

/** p99 from event to POST in milliseconds, without and with the disturbance. */
interface Disturbed {
  name: string;
  quiet: { others: number };
  after: { others: number; concerned: number };
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
    const { steadySeconds: seconds } = scale;
    const load = { perSecond: sizes.at(-1)!.steady.perSecond, seconds };
    const steady = (beside?: () => Promise<unknown>) => measureSteady(contender, fixture.receiver, { ...load, beside });
    const disturbed: Disturbed[] = [];
    for (const each of disturbances) disturbed.push(await disturb(each, { cells, steady, seconds }));
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
  const perSecond = Math.round(median(bursts.map(each => each.perSecond)) / 2);
  return { cells, bursts, steady: await measureSteady(contender, fixture.receiver, { perSecond, seconds }) };
}

/** A quiet round, and one with the disturbance after a third of its time. */
async function disturb(disturbance: Disturbance, { cells, steady, seconds }: Disturbing): Promise<Disturbed> {
  const { name, concerned, mayRepeat, run } = disturbance;
  progress(name);
  const quiet = await steady();
  cells.mayRepeat = mayRepeat ? concerned : [];
  const after = await steady(() => pause((seconds * 1_000) / 3).then(() => run(cells)));
  cells.mayRepeat = [];
  const p99s = async ({ latencies }: Steady) => {
    const payments = { firstId: Math.min(...latencies.keys()), count: latencies.size };
    const own = new Set((await cells.endsOf('verdicts', payments, concerned)).map(({ transactionId }) => transactionId));
    const of = (isOwn: boolean) =>
      percentile(
        [...latencies].flatMap(([id, ms]) => (own.has(id) === isOwn ? [ms] : [])),
        0.99,
      );
    return { others: of(false), concerned: of(true) };
  };
  const deviations = [...quiet.deviations, ...after.deviations];
  return { name, quiet: await p99s(quiet), after: await p99s(after), repeated: cells.repeated, deviations };
}

function reportCells(sizes: readonly Size[], disturbed: readonly Disturbed[]): boolean {
  const rateOf = ({ bursts }: Size) => median(bursts.map(({ perSecond }) => perSecond));
  const [one, ...grown] = sizes as [Size, ...Size[]];
  const timesOne = (size: Size) => rateOf(size) / rateOf(one);
  printTable(
    ['cells', 'payments/s, everything at once', 'times one', 'at half of it, events/s', 'p50 ms', 'p99 ms'],
    sizes.map(size => [
      String(size.cells),
      show(spreadOf(size.bursts.map(({ perSecond }) => perSecond))),
      timesOne(size).toFixed(2),
      ...[size.steady.perSecond, size.steady.p50Ms, size.steady.p99Ms].map(value => value.toFixed(0)),
    ]),
  );
  printTable(
    ['4 cells, p99 from event to POST', 'others, quiet', 'others', 'concerned', 'second POSTs'],
    disturbed.map(({ name, quiet, after, repeated }) => [
      name,
      ...[quiet.others, after.others, after.concerned].map(ms => ms.toFixed(0)),
      String(repeated),
    ]),
  );
  print();
  return report(
    [
      ...grown.flatMap(size => [
        atLeast(`${size.cells} cells, times the payments of one`, goals.ratios[size.cells as 2 | 4], timesOne(size)),
        atMost(`${size.cells} cells, p99 at half, times that of one`, goals.latency, size.steady.p99Ms / one.steady.p99Ms),
      ]),
      ...disturbed.map(({ name, quiet, after }) =>
        atMost(`${name}: p99 of the others, times quiet`, goals.others, after.others / quiet.others),
      ),
    ],
    [
      ...sizes.flatMap(({ cells, bursts, steady }) =>
        [...bursts, steady].flatMap(({ deviations }) => deviations.map(each => `${cells} cells: ${each}`)),
      ),
      ...disturbed.flatMap(({ name, deviations }) => deviations.map(each => `${name}: ${each}`)),
    ],
  );
}

runBenchmark(scales, () => ({ healthy: endpoints, hanging: 0 }), measure);
