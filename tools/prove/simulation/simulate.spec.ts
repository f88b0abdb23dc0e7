import { outsidePromises } from './engine/sim-process.ts';
import { runSeeds, seedThatMisses, simulate, type SimulationResult } from './simulate.ts';

describe('simulation of dispatchers and schedulers', () => {
  describe('as in P-I1, P-I2, P-I3, P-I4, P-I5, P-I6, P-I7, P-I8, P-I9, P-I10, P-I11, P-I12, P-I13', () => {
    it('no invariant breaks under faults, and every payment ends', async () => {
      // Some: `npm run test:simulation -- --ci` plays more of them in less time, and asks for every kind of fault.
      const report = await outsidePromises(() => runSeeds(1, 10, { failuresMax: 1 }));
      expect(report.failures).toEqual([]);
      expect(report.settled).toBeGreaterThan(0);
      expect(report.reversed).toBeGreaterThan(0);
    });
  });

  it('a seed that breaks an invariant breaks it again, at the same instant after the same history', async () => {
    const run = () => seedThatMisses('NO_OWNER', 15, 50);
    const [first, again] = [await outsidePromises(run), await outsidePromises(run)];
    expect(first?.broken).toBeTruthy();
    expect(again).toEqual(first);
  });

  it('a seed replays exactly', async () => {
    const traces: string[][] = [];
    const run = (): SimulationResult => {
      const trace: string[] = [];
      traces.push(trace);
      return simulate({ seed: 7, onTrace: line => trace.push(line) });
    };
    const [first, again] = [await outsidePromises(run), await outsidePromises(run)];
    expect(again).toEqual(first);
    expect(traces[1]).toEqual(traces[0]);
    expect(traces[0]!.length).toBeGreaterThan(100);
  });

  it.each([
    ['NO_CLOSE', 1],
    ['DEC_NOCAS', 1],
    ['POST_FIRST', 1],
    ['NO_ACK_TOKEN', 1],
    ['NO_POLL_TURNS', 32],
    ['NO_LEASE', 6],
    ['ONE_QUEUE', 1],
    ['ARM_FIRST', 1],
    ['OWN_CONGESTION', 1],
  ] as const)(
    'misses the guard %s',
    async (mutation, from) => {
      const found = await outsidePromises(() => seedThatMisses(mutation, from, 50));
      expect(found?.broken).toBeTruthy();
    },
    120_000,
  );
});
