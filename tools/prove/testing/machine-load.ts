import { availableParallelism, loadavg } from 'node:os';

/** With more runnable processes per core than this, the output says that the machine is busy. */
const busyPerCore = 1.5;

export interface MachineLoad {
  /** Mean number of runnable processes over the last minute. */
  load: number;
  cores: number;
}

/** The machine's load now. Windows knows none: 0. */
export function machineLoad(): MachineLoad {
  return { load: loadavg()[0]!, cores: availableParallelism() };
}

/** How many times longer than on a quiet machine: the run and what runs beside it share the cores. 1 while there is one to spare. */
export function slowdown({ load, cores }: MachineLoad, workers: number): number {
  return Math.max(1, (load + Math.min(workers, cores)) / cores);
}

/** One line for a person who waits, or nothing on a machine that is quiet enough. */
export function busyLine({ load, cores }: MachineLoad, when: 'start' | 'end', workers: number): string | undefined {
  if (load / cores < busyPerCore) return undefined;
  const machine = `load ${load.toFixed(1)} on ${cores} ${cores === 1 ? 'core' : 'cores'}`;
  if (when === 'end') return `This machine is busy (${machine}): times say little, and a failure by time-out may be its doing.`;
  return `This machine is busy: ${machine}; expect about ${Math.round(slowdown({ load, cores }, workers))} times longer.`;
}
