import { FaultCounts } from './engine/fault-counts.ts';
import { simulate, type SimulationResult } from './simulate.ts';
import { type Mutation, mutations } from './world/mutations.ts';

export interface RunReport {
  seeds: number;
  payments: number;
  settled: number;
  reversed: number;
  steps: number;
  /** Processor time used, in seconds. */
  cpuS: number;
  /** Time that went by meanwhile, in seconds. */
  wallS: number;
  faults: FaultCounts;
  failures: SimulationResult[];
}

export interface RunOptions {
  failuresMax: number;
  mutation?: Mutation;
  /** No further seed starts after this. */
  msMax?: number;
}

/** Runs `count` seeds from `from` on; stops after `failuresMax` broken ones. */
export function runSeeds(from: number, count: number, options: RunOptions): RunReport {
  const report: RunReport = {
    seeds: 0,
    payments: 0,
    settled: 0,
    reversed: 0,
    steps: 0,
    cpuS: 0,
    wallS: 0,
    faults: new FaultCounts(),
    failures: [],
  };
  const [startedUs, startedMs] = [cpuUs(), performance.now()];
  const isOver = () =>
    report.failures.length >= options.failuresMax || performance.now() - startedMs > (options.msMax ?? Number.POSITIVE_INFINITY);
  for (let seed = from; seed < from + count && !isOver(); seed++) {
    const result = simulate({ seed, mutation: options.mutation });
    report.seeds++;
    report.payments += result.payments;
    report.settled += result.settled;
    report.reversed += result.reversed;
    report.steps += result.steps;
    report.faults.addAll(result.faults);
    if (result.broken) report.failures.push(result);
  }
  report.cpuS = (cpuUs() - startedUs) / 1e6;
  report.wallS = (performance.now() - startedMs) / 1e3;
  return report;
}

/** The first seed that notices the missing guard, or undefined when none of `seedsMax` seeds does. */
export function seedThatMisses(mutation: Mutation, from: number, seedsMax: number): SimulationResult | undefined {
  return runSeeds(from, seedsMax, { failuresMax: 1, mutation }).failures[0];
}

export function isMutation(name: string): name is Mutation {
  return name in mutations;
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
