/** One payment per call, as a payment core sends them, beside a hundred per call in the same run. */
import { type Spread, ratioOf, spreadOf } from './statistics.ts';
import { machineFacts, print, printTable, show, writeJson } from './report.ts';
import type { CallsBurst, CallsSteady, WayIn } from './way-in.ts';

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
}

export const callsScales: Record<'quick' | 'full', CallsScale> = {
  quick: { rounds: 2, warmUp: 3_000, burst: 4_000, steadySeconds: 8 },
  full: { rounds: 3, warmUp: 20_000, burst: 10_000, steadySeconds: 20 },
};
/** Payments per second. */
const rates = [1, 200, 500];
const perCallMax = 100;

export async function measureCalls(wayIn: WayIn, { rounds, warmUp, burst, steadySeconds }: CallsScale): Promise<CallsFigures> {
  const figures: CallsFigures = { single: [], hundred: [], steadies: [] };
  for (const perCall of [1, perCallMax]) await wayIn.burst(warmUp, perCall);
  for (let round = 0; round < rounds; round++) {
    figures.single.push(await wayIn.burst(burst, 1));
    figures.hundred.push(await wayIn.burst(burst, perCallMax));
  }
  for (const rate of rates) figures.steadies.push(await wayIn.steady(rate, steadySeconds));
  return figures;
}

/** Prints tables and audit, and writes the JSON file. True when the audits found nothing. */
export function reportCalls(figures: CallsFigures, scale: CallsScale): boolean {
  const { single, hundred, steadies } = figures;
  printTable(
    ['by calls to payment-simulator', 'payments/s', 'CPU us/payment, all processes', 'simulator statements/payment'],
    [rowOf('one per call', single), rowOf(`${perCallMax} per call`, hundred)],
  );
  for (const [name, bursts] of [
    ['one per call', single],
    [`${perCallMax} per call`, hundred],
  ] as const) {
    const each = Object.keys(bursts[0]!.cpuUsBy).map(
      process => `${process} ${spreadOf(bursts.map(({ cpuUsBy }) => cpuUsBy[process]!)).median.toFixed(0)}`,
    );
    print(`CPU us/payment, ${name}: ${each.join(', ')}`);
  }
  const cpu = ratioOf(single.map(cpuOf), hundred.map(cpuOf));
  print(`CPU, one per call / ${perCallMax} per call, round by round: ${show(cpu)}\n`);
  printTable(
    ['one per call, due to POST', 'p50 ms', 'p99 ms'],
    steadies.map(({ perSecond, p50Ms, p99Ms }) => [`${perSecond}/s`, p50Ms.toFixed(1), p99Ms.toFixed(1)]),
  );
  const deviations = [...single, ...hundred, ...steadies].flatMap(each => each.deviations);
  for (const deviation of deviations) print(`AUDIT ${deviation}`);
  if (deviations.length === 0) print('audit: every payment has exactly one POST, one verdict and one decision');
  print(writeJson('calls', { machine: machineFacts(), scale, ...figures, deviations }));
  return deviations.length === 0;
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

/** Of all processes together. */
function cpuOf({ cpuUsBy }: CallsBurst): number {
  return Object.values(cpuUsBy).reduce((sum, us) => sum + us, 0);
}
