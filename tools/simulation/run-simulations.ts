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
  failures: SimulationResult[];
}

/** Runs `count` seeds from `from` on; stops after `failuresMax` broken ones. `tell` is given progress now and then. */
export function runSeeds(from: number, count: number, options: { failuresMax: number; mutation?: Mutation }): RunReport {
  const report: RunReport = { seeds: 0, payments: 0, settled: 0, reversed: 0, steps: 0, cpuS: 0, failures: [] };
  const startedUs = cpuUs();
  for (let seed = from; seed < from + count && report.failures.length < options.failuresMax; seed++) {
    const result = simulate({ seed, mutation: options.mutation });
    report.seeds++;
    report.payments += result.payments;
    report.settled += result.settled;
    report.reversed += result.reversed;
    report.steps += result.steps;
    if (result.broken) report.failures.push(result);
  }
  report.cpuS = (cpuUs() - startedUs) / 1e6;
  return report;
}

/** The seed at which the missing guard shows, or undefined when `seedsMax` seeds do not show it. */
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
