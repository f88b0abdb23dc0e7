/** The goals of payments that come by calls. */
import type { CalledStack, CallsBurst, CallsSteady } from './called-stack.ts';
import type { SenderName } from './core-calls.ts';
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
  type Spread,
  spreadOf,
  writeJson,
} from './report.ts';

/** Of all rounds. */
interface CallsReached {
  single: CallsBurst[];
  hundred: CallsBurst[];
  steadies: CallsSteady[];
  /** Those that took part. They take one event per call. */
  senders: SenderFigures[];
}

interface SenderFigures {
  name: SenderName;
  single: CallsBurst[];
  steadies: CallsSteady[];
}

const cpuUsMax = 1_000;
const latencies = [
  { perSecond: 1, p50Ms: 6, p99Ms: 15 },
  { perSecond: 200, p50Ms: 10, p99Ms: 30 },
];
/** Recorded per second, beside a sender's one per call. */
const besideSenders: Record<SenderName, { single: number; hundred: number }> = {
  Outpost: { single: 1.5, hundred: 3 },
  Svix: { single: 2, hundred: 4 },
};

/** Of all processes together. */
function cpuOf({ cpuUsBy }: CallsBurst): number {
  return Object.values(cpuUsBy).reduce((sum, us) => sum + us, 0);
}

/** Those beside a sender only where it took part. */
function callsGoals({ single, hundred, steadies, senders }: CallsReached): Goal[] {
  const cpu = spreadOf(single.map(cpuOf));
  const beside = (what: string, bursts: readonly CallsBurst[], { name, limit, sender }: Beside) => {
    const ratio = ratioOf(bursts.map(rateOf), sender.map(rateOf));
    return atLeast(`${what}: recorded per second beside ${name}`, limit, { value: ratio.median, shown: show(ratio) });
  };
  return [
    atMost('one per call: CPU us of the whole stack', cpuUsMax, { value: cpu.median, shown: show(cpu, 0) }),
    ...latencies.flatMap(({ perSecond, p50Ms, p99Ms }) => {
      const steady = steadies.find(each => each.perSecond === perSecond);
      if (!steady) return [];
      const what = `one per call at ${perSecond}/s: due to POST`;
      return [
        atMost(`${what}, p50 ms`, p50Ms, { value: steady.p50Ms, shown: steady.p50Ms.toFixed(1) }),
        atMost(`${what}, p99 ms`, p99Ms, { value: steady.p99Ms, shown: steady.p99Ms.toFixed(1) }),
      ];
    }),
    ...senders.flatMap(({ name, single: sender }) => [
      beside('one per call', single, { name, limit: besideSenders[name].single, sender }),
      beside('100 per call', hundred, { name, limit: besideSenders[name].hundred, sender }),
    ]),
  ];
}

interface Beside {
  name: SenderName;
  limit: number;
  sender: readonly CallsBurst[];
}

const rateOf = ({ perSecond }: CallsBurst) => perSecond;

/** One payment per call, as a payment core sends them, beside a hundred per call and beside webhook senders of others in the same run. */
interface CallsScale {
  rounds: number;
  /** Payments before anything is counted. */
  warmUp: number;
  /** Payments of a burst. */
  burst: number;
  steadySeconds: number;
}

export const callsScales: Record<'quick' | 'full', CallsScale> = {
  quick: { rounds: 2, warmUp: 3_000, burst: 4_000, steadySeconds: 8 },
  full: { rounds: 3, warmUp: 20_000, burst: 10_000, steadySeconds: 20 },
};
/** Payments per second. */
const rates = [1, 200, 500];
const perCallMax = 100;
const senderNames: readonly SenderName[] = ['Outpost', 'Svix'];

/** A stack that takes one event per call. */
type SenderStack = CalledStack & { readonly name: SenderName };

/** Round by round in turn. */
export async function measureCalls(
  paycode: CalledStack,
  scale: CallsScale,
  senders: readonly SenderStack[],
): Promise<CallsReached> {
  const { rounds, warmUp, burst, steadySeconds } = scale;
  const [single, hundred, steadies]: [CallsBurst[], CallsBurst[], CallsSteady[]] = [[], [], []];
  const beside = senders.map(stack => ({ stack, figures: { name: stack.name, single: [], steadies: [] } as SenderFigures }));
  for (const perCall of [1, perCallMax]) await paycode.burst(warmUp, perCall);
  for (const { stack } of beside) await stack.burst(warmUp, 1);
  for (let round = 0; round < rounds; round++) {
    single.push(await paycode.burst(burst, 1));
    hundred.push(await paycode.burst(burst, perCallMax));
    for (const { stack, figures } of beside) figures.single.push(await stack.burst(burst, 1));
  }
  for (const rate of rates) {
    steadies.push(await paycode.steady(rate, steadySeconds));
    for (const { stack, figures } of beside) figures.steadies.push(await stack.steady(rate, steadySeconds));
  }
  return { single, hundred, steadies, senders: beside.map(({ figures }) => figures) };
}

/** Prints tables, goals and audit, and writes the JSON file. True when the audits found nothing. */
export function reportCalls(figures: CallsReached, scale: CallsScale): boolean {
  const goals = callsGoals(figures);
  printBursts(figures);
  printLatencies(figures);
  printGoals(goals);
  const took = figures.senders.map(({ name }) => name);
  for (const name of senderNames.filter(each => !took.includes(each)))
    print(`${name} was not run (-- --${name.toLowerCase()} FOLDER, see docs/explanation/performance.md)`);
  const deviations = deviationsOf(figures);
  for (const deviation of deviations) print(`AUDIT ${deviation}`);
  if (deviations.length === 0) print('audit: every payment has exactly one POST, one verdict and one decision');
  if (took.length > 0 && deviations.length === 0)
    print(`audit: every event of ${took.join(' and ')} has exactly one POST and one recorded attempt`);
  print(writeJson('calls', { machine: machineFacts(), scale, ...figures, goals, deviations }));
  return deviations.length === 0;
}

function deviationsOf({ single, hundred, steadies, senders }: CallsReached): string[] {
  const counted = [single, hundred, steadies, ...senders.flatMap(sender => [sender.single, sender.steadies])];
  return counted.flat().flatMap(each => each.deviations);
}

function printBursts({ single, hundred, senders }: CallsReached): void {
  const contenders: [string, readonly CallsBurst[]][] = [
    ['one per call', single],
    [`${perCallMax} per call`, hundred],
    ...senders.map(({ name, single }): [string, readonly CallsBurst[]] => [`${name}, one per call`, single]),
  ];
  printTable(
    ['by calls', 'payments/s', 'CPU us/payment, all processes', 'statements/payment, database of the called service'],
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
  for (const sender of senders) beside(sender.name, sender.single);
  print();
}

function printLatencies({ steadies, senders }: CallsReached): void {
  const row = (name: string, { perSecond, p50Ms, p99Ms }: CallsSteady) => [
    `${name}${perSecond}/s`,
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ];
  const rows = steadies.flatMap((steady, at) => [
    row('', steady),
    ...senders.map(sender => row(`${sender.name}, `, sender.steadies[at]!)),
  ]);
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
