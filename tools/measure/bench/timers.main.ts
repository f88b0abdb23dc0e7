/** `npm run bench -- timers`; see docs/explanation/performance.md. */
import { parseArgs } from 'node:util';
import { runToEnd } from './run-to-end.ts';
import { BenchDatabase } from './bench-database.ts';
import { CalledProcess } from './child-calls.ts';
import { bundle } from './contender.ts';
import { makeSecrets } from './merchants.ts';
import { Neighbours } from './neighbours.ts';
import type { TimersScale } from './timer-figures.ts';
import { TimersBench } from './timers-bench.ts';

const scales: Record<'quick' | 'full', TimersScale> = {
  quick: { rounds: 2, armed: 20_000, fewPending: 1_000, manyPending: 100_000, perSecond: 1_000, seconds: 10 },
  full: { rounds: 5, armed: 60_000, fewPending: 1_000, manyPending: 1_000_000, perSecond: 1_000, seconds: 60 },
};

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const database = await BenchDatabase.start();
  const neighbours = await Neighbours.start();
  const load = new CalledProcess(bundle('timer-load'));
  try {
    const around = { database, neighbours, load, secrets: makeSecrets(database.home) };
    const isExact = await new TimersBench(around, scales[values.quick ? 'quick' : 'full']).run();
    process.exitCode = isExact ? 0 : 1;
  } finally {
    await load.stop();
    await neighbours.stop();
    await database.stop();
  }
}

runToEnd(main);
