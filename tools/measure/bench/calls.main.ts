/** `npm run bench:calls`: one payment per call, as a payment core sends them, beside a hundred per call (docs/explanation/performance.md). */
import { CalledPlatform, type CallsBurst, type CallsSteady } from './called-platform.ts';
import { makeMerchants } from './merchants.ts';
import { PlatformUnderTest } from './platform-under-test.ts';
import { atMost, print, printTable, ratioOf, report, show, spreadOf } from './report.ts';
import { runBenchmark } from './run-benchmark.ts';
import { inspectFlag, reportWork, workCeilings, WorkPerPayment } from './work-per-payment.ts';

interface CallsFigures {
  single: CallsBurst[];
  hundred: CallsBurst[];
  steadies: CallsSteady[];
}

const scales = {
  quick: { rounds: 2, warmUp: 3_000, burst: 4_000, steadySeconds: 8 },
  full: { rounds: 3, warmUp: 20_000, burst: 10_000, steadySeconds: 20 },
};
const endpoints = 20;
const perCallMax = 100;
/** Payments per second. */
const rates = [1, 200, 500];
const cpuUsMax = 1_000;
const latencyGoals = [
  { perSecond: 1, p50Ms: 6, p99Ms: 15 },
  { perSecond: 200, p50Ms: 10, p99Ms: 30 },
];

async function measure(paycode: CalledPlatform, scale: typeof scales.full): Promise<CallsFigures> {
  const { rounds, warmUp, burst, steadySeconds } = scale;
  const figures: CallsFigures = { single: [], hundred: [], steadies: [] };
  for (const perCall of [1, perCallMax]) await paycode.burst(warmUp, perCall);
  for (let round = 0; round < rounds; round++) {
    figures.single.push(await paycode.burst(burst, 1));
    figures.hundred.push(await paycode.burst(burst, perCallMax));
  }
  for (const rate of rates) figures.steadies.push(await paycode.steady(rate, steadySeconds));
  return figures;
}

/** Of all processes together. */
const cpuOf = ({ cpuUsBy }: CallsBurst) => Object.values(cpuUsBy).reduce((sum, us) => sum + us, 0);

function reportCalls({ single, hundred, steadies }: CallsFigures): boolean {
  const bursts = { 'one per call': single, [`${perCallMax} per call`]: hundred };
  const column = (of: CallsBurst[], value: (burst: CallsBurst) => number, digits = 0) => show(spreadOf(of.map(value)), digits);
  printTable(
    ['by calls', 'payments/s', 'CPU us/payment, all processes', 'statements/payment, simulator'],
    Object.entries(bursts).map(([name, of]) => [
      name,
      column(of, ({ perSecond }) => perSecond),
      column(of, cpuOf),
      column(of, ({ statements }) => statements, 2),
    ]),
  );
  for (const [name, of] of Object.entries(bursts)) {
    const parts = Object.keys(of[0]!.cpuUsBy).map(part => `${part} ${column(of, ({ cpuUsBy }) => cpuUsBy[part]!)}`);
    print(`CPU us/payment, ${name}: ${parts.join(', ')}`);
  }
  print(`CPU, one / ${perCallMax} per call, round by round: ${show(ratioOf(single.map(cpuOf), hundred.map(cpuOf)))}\n`);
  printTable(
    ['one per call, due to POST', 'p50 ms', 'p99 ms'],
    steadies.map(({ perSecond, p50Ms, p99Ms }) => [`${perSecond}/s`, p50Ms.toFixed(1), p99Ms.toFixed(1)]),
  );
  const goals = [
    atMost('one per call: CPU us of the whole stack', cpuUsMax, spreadOf(single.map(cpuOf))),
    ...latencyGoals.flatMap(({ perSecond, p50Ms, p99Ms }) => {
      const steady = steadies.find(each => each.perSecond === perSecond)!;
      const what = `one per call at ${perSecond}/s: due to POST`;
      return [atMost(`${what}, p50 ms`, p50Ms, steady.p50Ms), atMost(`${what}, p99 ms`, p99Ms, steady.p99Ms)];
    }),
  ];
  const deviations = [...single, ...hundred, ...steadies].flatMap(each => each.deviations);
  return report(goals, deviations);
}

runBenchmark(
  scales,
  () => ({ healthy: endpoints, hanging: 0 }),
  async (fixture, scale, { ceilings }) => {
    const { database, config, ports, receiver } = fixture;
    const merchants = makeMerchants(config, ports.healthy);
    // Allocations are counted by inspectors.
    const flags = ceilings ? [inspectFlag] : [];
    const platform = await PlatformUnderTest.start({
      ...fixture,
      name: 'postgres',
      dispatcherFlags: flags,
      schedulerFlags: flags,
    });
    const called = await CalledPlatform.start(receiver, platform, { ...fixture, merchants, simulatorFlags: flags });
    if (!ceilings) return reportCalls(await measure(called, scale));
    const databases = [called.database, ...Object.values(platform.databases)];
    return reportWork(await new WorkPerPayment(called, platform, { database, databases }).measure(), workCeilings);
  },
);
