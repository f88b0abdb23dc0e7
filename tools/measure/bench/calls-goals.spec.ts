import type { CallsBurst, CallsSteady } from './called-stack.ts';
import { callsGoals, type SenderFigures } from './calls-goals.ts';

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
  senders: [],
};
const sender = (name: SenderFigures['name'], rates: number[]): SenderFigures => ({
  name,
  single: rates.map(rate => burst(rate, 1_300)),
  steadies: [],
});
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

  it('compare with each sender round by round where it took part, a hundred per call with its one', () => {
    const senders = [sender('Outpost', [500, 1_000, 1_100]), sender('Svix', [400, 810, 700])];
    const goals = callsGoals({ ...reached, senders });
    expect(verdicts(goals).slice(-4)).toEqual([
      ['one per call: recorded per second beside Outpost', true],
      ['100 per call: recorded per second beside Outpost', true],
      ['one per call: recorded per second beside Svix', true],
      ['100 per call: recorded per second beside Svix', true],
    ]);
    expect(goals.slice(-4).map(goal => [goal.reached, goal.goal])).toEqual([
      ['1.60 (1.36-1.80)', '>= 1.5'],
      ['3.00 (2.82-5.80)', '>= 3'],
      ['2.14 (1.98-2.25)', '>= 2'],
      ['4.43 (3.70-7.25)', '>= 4'],
    ]);
  });
});
