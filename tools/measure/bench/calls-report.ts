/** One payment per call, as a payment core sends them, beside a hundred per call and beside Outpost in the same run. */
import type { CalledStack, CallsBurst, CallsSteady } from './called-stack.ts';
import { callsGoals, cpuOf } from './calls-goals.ts';
import { machineFacts, print, printGoals, printTable, show, writeJson } from './report.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';

export interface CallsScale {
  rounds: number;
  /** Payments before anything is counted. */
  warmUp: number;
  /** Payments of a burst. */
  burst: number;
  steadySeconds: number;
}

export interface CallsFigures {
  single: CallsBurst[];
  hundred: CallsBurst[];
  steadies: CallsSteady[];
  /** Undefined: it did not take part. It takes one event per call. */
  outpost?: { single: CallsBurst[]; steadies: CallsSteady[] };
}

export const callsScales: Record<'quick' | 'full', CallsScale> = {
  quick: { rounds: 2, warmUp: 3_000, burst: 4_000, steadySeconds: 8 },
  full: { rounds: 3, warmUp: 20_000, burst: 10_000, steadySeconds: 20 },
};
/** Payments per second. */
const rates = [1, 200, 500];
const perCallMax = 100;

/** Round by round in turn. */
export async function measureCalls(paycode: CalledStack, scale: CallsScale, outpost?: CalledStack): Promise<CallsFigures> {
  const { rounds, warmUp, burst, steadySeconds } = scale;
  const figures: CallsFigures = {
    single: [],
    hundred: [],
    steadies: [],
    ...(outpost && { outpost: { single: [], steadies: [] } }),
  };
  for (const perCall of [1, perCallMax]) await paycode.burst(warmUp, perCall);
  await outpost?.burst(warmUp, 1);
  for (let round = 0; round < rounds; round++) {
    figures.single.push(await paycode.burst(burst, 1));
    figures.hundred.push(await paycode.burst(burst, perCallMax));
    if (outpost) figures.outpost!.single.push(await outpost.burst(burst, 1));
  }
  for (const rate of rates) {
    figures.steadies.push(await paycode.steady(rate, steadySeconds));
    if (outpost) figures.outpost!.steadies.push(await outpost.steady(rate, steadySeconds));
  }
  return figures;
}

/** Prints tables, goals and audit, and writes the JSON file. True when the audits found nothing. */
export function reportCalls(figures: CallsFigures, scale: CallsScale): boolean {
  const goals = callsGoals(figures);
  printBursts(figures);
  printLatencies(figures);
  printGoals(goals);
  if (!figures.outpost) print('Outpost was not run (-- --outpost FOLDER, see docs/explanation/performance.md)');
  const deviations = deviationsOf(figures);
  for (const deviation of deviations) print(`AUDIT ${deviation}`);
  if (deviations.length === 0) print('audit: every payment has exactly one POST, one verdict and one decision');
  if (figures.outpost && deviations.length === 0)
    print('audit: every event of Outpost has exactly one POST and one recorded attempt');
  print(writeJson('calls', { machine: machineFacts(), scale, ...figures, goals, deviations }));
  return deviations.length === 0;
}

function deviationsOf({ single, hundred, steadies, outpost }: CallsFigures): string[] {
  const counted = [single, hundred, steadies, outpost?.single ?? [], outpost?.steadies ?? []];
  return counted.flat().flatMap(each => each.deviations);
}

function printBursts({ single, hundred, outpost }: CallsFigures): void {
  const contenders = [
    ['one per call', single],
    [`${perCallMax} per call`, hundred],
    ...(outpost ? ([['Outpost, one per call', outpost.single]] as const) : []),
  ] as const;
  printTable(
    ['by calls', 'payments/s', 'CPU us/payment, all processes', 'statements/payment, database of the way in'],
    contenders.map(([name, bursts]) => rowOf(name, bursts)),
  );
  for (const [name, bursts] of contenders) {
    const each = Object.keys(bursts[0]!.cpuUsBy).map(
      process => `${process} ${spreadOf(bursts.map(({ cpuUsBy }) => cpuUsBy[process]!)).median.toFixed(0)}`,
    );
    print(`CPU us/payment, ${name}: ${each.join(', ')}`);
  }
  const beside = (name: string, others: readonly CallsBurst[]) =>
    print(`CPU, one per call / ${name}, round by round: ${show(ratioOf(single.map(cpuOf), others.map(cpuOf)))}`);
  beside(`${perCallMax} per call`, hundred);
  if (outpost) beside('Outpost', outpost.single);
  print();
}

function printLatencies({ steadies, outpost }: CallsFigures): void {
  const row = (name: string, { perSecond, p50Ms, p99Ms }: CallsSteady) => [
    `${name}${perSecond}/s`,
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ];
  const rows = steadies.flatMap((steady, at) => [row('', steady), ...(outpost ? [row('Outpost, ', outpost.steadies[at]!)] : [])]);
  printTable(['one per call, due to POST', 'p50 ms', 'p99 ms'], rows);
}

function rowOf(name: string, bursts: readonly CallsBurst[]): string[] {
  const column = (value: (burst: CallsBurst) => number): Spread => spreadOf(bursts.map(value));
  return [
    name,
    show(
      column(({ perSecond }) => perSecond),
      0,
    ),
    show(column(cpuOf), 0),
    show(column(({ statements }) => statements)),
  ];
}
