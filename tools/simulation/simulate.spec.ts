import { runSeeds, seedThatMisses } from './run-simulations.ts';
import { simulate, type SimulationResult } from './simulate.ts';

/** The simulation runs promise callbacks itself, so it cannot run inside one. */
function outsidePromises<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) =>
    setImmediate(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error as Error);
      }
    }),
  );
}

describe('simulation of dispatchers and schedulers', () => {
  it('I1-I13: no invariant breaks under faults, and every payment ends (I7)', async () => {
    const report = await outsidePromises(() => runSeeds(1, 12, { failuresMax: 1 }));
    expect(report.failures).toEqual([]);
    expect(report.settled).toBeGreaterThan(0);
    expect(report.reversed).toBeGreaterThan(0);
  }, 120_000);

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
  }, 120_000);

  it.each(['NO_CLOSE', 'DEC_NOCAS', 'POST_FIRST', 'NO_POLL_TURNS', 'NO_LEASE'] as const)(
    'misses the guard %s',
    async mutation => {
      const found = await outsidePromises(() => seedThatMisses(mutation, 1, 50));
      expect(found?.broken).toBeTruthy();
    },
    120_000,
  );
});
