/** The goals of payments that come by calls. */
import type { CallsBurst, CallsSteady } from './called-stack.ts';
import { atLeast, atMost, type Goal, show } from './report.ts';
import { ratioOf, spreadOf } from './statistics.ts';

/** Of all rounds. */
export interface CallsReached {
  single: CallsBurst[];
  hundred: CallsBurst[];
  steadies: CallsSteady[];
  outpost?: { single: CallsBurst[] };
}

const cpuUsMax = 1_000;
const latencies = [
  { perSecond: 1, p50Ms: 6, p99Ms: 15 },
  { perSecond: 200, p50Ms: 10, p99Ms: 30 },
];
const besideOutpost = { single: 1.5, hundred: 3 };

/** Of all processes together. */
export function cpuOf({ cpuUsBy }: CallsBurst): number {
  return Object.values(cpuUsBy).reduce((sum, us) => sum + us, 0);
}

/** Those beside Outpost only where it took part; it takes one event per call, so a hundred per call stand beside the same figures. */
export function callsGoals({ single, hundred, steadies, outpost }: CallsReached): Goal[] {
  const cpu = spreadOf(single.map(cpuOf));
  const goals = [
    atMost('one per call: CPU us of the whole stack, way in included', cpuUsMax, { value: cpu.median, shown: show(cpu, 0) }),
    ...latencies.flatMap(({ perSecond, p50Ms, p99Ms }) => {
      const steady = steadies.find(each => each.perSecond === perSecond);
      if (!steady) return [];
      const what = `one per call at ${perSecond}/s: due to POST`;
      return [
        atMost(`${what}, p50 ms`, p50Ms, { value: steady.p50Ms, shown: steady.p50Ms.toFixed(1) }),
        atMost(`${what}, p99 ms`, p99Ms, { value: steady.p99Ms, shown: steady.p99Ms.toFixed(1) }),
      ];
    }),
  ];
  if (!outpost) return goals;
  const beside = (what: string, bursts: readonly CallsBurst[], limit: number) => {
    const ratio = ratioOf(bursts.map(rateOf), outpost.single.map(rateOf));
    return atLeast(`${what}: recorded per second beside Outpost`, limit, { value: ratio.median, shown: show(ratio) });
  };
  return [...goals, beside('one per call', single, besideOutpost.single), beside('100 per call', hundred, besideOutpost.hundred)];
}

const rateOf = ({ perSecond }: CallsBurst) => perSecond;
