import type { ModelRun } from './model-runs.ts';

/** The findings of a run of the generated checker. */
export interface PanReport {
  errors: number;
  states: number;
  /** Why the search ended early (memory, depth, time), if it did: then "no error" proves nothing. */
  incomplete: string | null;
  /** First complaint, e.g. the assertion that was violated. */
  complaint: string | null;
}

/** Reads the checker's output. @throws when it is no report at all: the checker crashed or never ran */
export function readPanReport(output: string): PanReport {
  const errors = /errors:\s*(\d+)/.exec(output)?.[1];
  const states = /^\s*([\d.e+]+) states, stored/m.exec(output)?.[1];
  if (errors === undefined || states === undefined) throw new Error(`the model checker gave no report:\n${output.slice(-2_000)}`);
  const complaint = /^pan:\d+: (.*)$/m.exec(output)?.[1] ?? null;
  return { errors: Number(errors), states: Number(states), incomplete: incompleteOf(output, Number(errors)), complaint };
}

function incompleteOf(output: string, errors: number): string | null {
  const truncated = /(max search depth too small|out of memory|memory limit|time limit|interrupted)/i.exec(output)?.[1];
  if (truncated) return truncated;
  // After an error the search stops on purpose.
  return errors === 0 && output.includes('Search not completed') ? 'search not completed' : null;
}

/** Why the run is not what it must be, or null. */
export function problemOf({ expects }: ModelRun, { errors, incomplete }: PanReport): string | null {
  if (expects === 'an error') return errors > 0 ? null : 'the checker did not miss the guard';
  if (errors > 0) return 'the checker found an error';
  return incomplete ? `not exhaustive: ${incomplete}` : null;
}
