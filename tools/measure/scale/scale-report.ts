/** The figures of the simulation, as tables. */
import { print, printTable } from '../bench/report.ts';
import { type ScaleFigures, simulateScale } from './simulate-scale.ts';
import { type Costs, measuredCosts } from './stage-costs.ts';

/** Beyond what any run here needs: its busy share times this many is what the database would need. */
const coresEnough = 1_024;
const answerMs = 200;

interface Plan {
  perSecond: number;
  payments: number;
  dispatchers: readonly number[];
  schedulers: number;
  partitions: number;
}

const plans: readonly Plan[] = [
  { perSecond: 1_000, payments: 10_000, dispatchers: [1, 2], schedulers: 2, partitions: 64 },
  { perSecond: 10_000, payments: 50_000, dispatchers: [8, 12, 16, 32, 64], schedulers: 8, partitions: 64 },
  { perSecond: 100_000, payments: 400_000, dispatchers: [64, 96, 128], schedulers: 64, partitions: 256 },
];

export interface SimulatedRow {
  perSecond: number;
  dispatchers: number;
  partitions: number;
  figures: ScaleFigures;
}

/** The rates of the page on performance. */
export function reportSimulation(costs: Costs = measuredCosts): SimulatedRow[] {
  const rows = plans.flatMap(({ perSecond, payments, dispatchers, schedulers, partitions }) =>
    dispatchers.map(count => {
      const size = { dispatchers: count, schedulers, partitions, databaseCores: coresEnough };
      return {
        perSecond,
        dispatchers: count,
        partitions,
        figures: simulateScale({ ...size, costs, perSecond, payments, answerMs }),
      };
    }),
  );
  print(`simulated, answers after ${answerMs} ms, as many cores for PostgreSQL as it wants`);
  printTable(
    [
      'payments/s',
      'dispatchers',
      'partitions',
      'reached/s',
      'p50 ms',
      'p99 ms',
      'busiest dispatcher',
      'PostgreSQL cores',
      'batch',
    ],
    rows.map(({ perSecond, dispatchers, partitions, figures }) => [
      String(perSecond),
      String(dispatchers),
      String(partitions),
      figures.perSecond.toFixed(0),
      figures.p50Ms.toFixed(0),
      figures.p99Ms.toFixed(0),
      `${(figures.busy.dispatcher * 100).toFixed(0)} %`,
      (figures.busy.database * coresEnough).toFixed(1),
      figures.batch.toFixed(1),
    ]),
  );
  reportLimits(costs);
  return rows;
}

/** Everything at once: what the dispatchers can do together. */
function reportLimits(costs: Costs): void {
  const reached = (dispatchers: number, databaseCores: number) =>
    simulateScale({
      dispatchers,
      schedulers: 64,
      databaseCores,
      costs,
      perSecond: Infinity,
      payments: 4_000 * dispatchers,
      answerMs,
      partitions: 64,
    });
  print('simulated, everything at once, 64 partitions: payments/s');
  printTable(
    ['dispatchers', 'PostgreSQL without limit', 'with 32 cores', 'with 8 cores'],
    [1, 8, 32, 48, 64].map(dispatchers => [
      String(dispatchers),
      ...[coresEnough, 32, 8].map(cores => reached(dispatchers, cores).perSecond.toFixed(0)),
    ]),
  );
}
