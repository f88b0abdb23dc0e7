/** The goals of payments that come by calls. */
import type { CallsBurst, CallsSteady } from './called-stack.ts';
import type { SenderName } from './core-calls.ts';
import { atLeast, atMost, type Goal, show } from './report.ts';
import { ratioOf, spreadOf } from './statistics.ts';

/** Of all rounds. */
export interface CallsReached {
  single: CallsBurst[];
  hundred: CallsBurst[];
  steadies: CallsSteady[];
  /** Those that took part. They take one event per call. */
  senders: SenderFigures[];
}

export interface SenderFigures {
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
export function cpuOf({ cpuUsBy }: CallsBurst): number {
  return Object.values(cpuUsBy).reduce((sum, us) => sum + us, 0);
}

/** Those beside a sender only where it took part. */
export function callsGoals({ single, hundred, steadies, senders }: CallsReached): Goal[] {
  const cpu = spreadOf(single.map(cpuOf));
  const beside = (what: string, bursts: readonly CallsBurst[], { name, limit, sender }: Beside) => {
    const ratio = ratioOf(bursts.map(rateOf), sender.map(rateOf));
    return atLeast(`${what}: recorded per second beside ${name}`, limit, { value: ratio.median, shown: show(ratio) });
  };
  return [
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
