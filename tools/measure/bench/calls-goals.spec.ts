import type { CallsBurst, CallsSteady } from './called-stack.ts';
import { callsGoals } from './calls-goals.ts';

const burst = (perSecond: number, cpuUs: number): CallsBurst => ({
  perSecond,
  cpuUsBy: { simulator: cpuUs / 2, PostgreSQL: cpuUs / 2 },
  statements: 0.2,
  deviations: [],
});
const steady = (perSecond: number, p50Ms: number, p99Ms: number): CallsSteady => ({ perSecond, p50Ms, p99Ms, deviations: [] });
const reached = {
  single: [burst(900, 990), burst(1_600, 1_000), burst(1_500, 1_010)],
  hundred: [burst(2_900, 600), burst(3_000, 600), burst(3_100, 600)],
  steadies: [steady(1, 5, 16), steady(200, 11, 29), steady(500, 90, 900)],
};
const verdicts = (goals: ReturnType<typeof callsGoals>) => goals.map(({ measure, isMet }) => [measure, isMet]);

describe('the goals of payments by calls', () => {
  it('are about the whole stack and the latencies of quiet hours', () => {
    expect(verdicts(callsGoals(reached))).toEqual([
      ['one per call: CPU us of the whole stack, way in included', true],
      ['one per call at 1/s: due to POST, p50 ms', true],
      ['one per call at 1/s: due to POST, p99 ms', false],
      ['one per call at 200/s: due to POST, p50 ms', false],
      ['one per call at 200/s: due to POST, p99 ms', true],
    ]);
  });

  it('compare with Outpost round by round where it took part, a hundred per call with its one', () => {
    const outpost = { single: [burst(500, 1_300), burst(1_000, 1_300), burst(1_100, 1_300)] };
    const goals = callsGoals({ ...reached, outpost });
    expect(verdicts(goals).slice(-2)).toEqual([
      ['one per call: recorded per second beside Outpost', true],
      ['100 per call: recorded per second beside Outpost', true],
    ]);
    expect(goals.slice(-2).map(goal => goal.reached)).toEqual(['1.60 (1.36-1.80)', '3.00 (2.82-5.80)']);
  });
});
