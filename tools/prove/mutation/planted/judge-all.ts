import type { Outcome } from '../report/outcome.ts';
import { judge } from './judge.ts';
import { knownSurvivors } from './known-survivors.ts';
import { plant } from './plant.ts';
import type { PlantedFault } from './planted-fault.ts';
import { type SpecRun, type SpecRunOptions, runSpecs, type TestEnd } from './run-specs.ts';
import { forgetTemplates, reachesTemplates } from './template-databases.ts';

export interface JudgedFault {
  area: string;
  fault: PlantedFault;
}

/** Plants one fault after the other in the scratch copy of `options` and lets its specs judge it. */
export async function judgeAll(
  faults: readonly JudgedFault[],
  options: SpecRunOptions,
  say: (text: string) => void,
): Promise<Outcome[]> {
  const runUnbroken = unbroken(options);
  const outcomes: Outcome[] = [];
  for (const [at, { area, fault }] of faults.entries()) {
    const startedAt = performance.now();
    const before = await runUnbroken(fault.specs);
    const withFault = await runPlanted(fault, options);
    const outcome = outcomeOf({ area, fault }, before, withFault);
    outcomes.push(outcome);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const words = { CAUGHT: `caught by ${outcome.detail}`, SURVIVED: 'SURVIVED', NOT_JUDGED: `not judged: ${outcome.detail}` };
    say(`[${at + 1}/${faults.length}] ${fault.id} ${words[outcome.result]} (${seconds} s)`);
  }
  return outcomes;
}

async function runPlanted(fault: PlantedFault, options: SpecRunOptions): Promise<SpecRun> {
  const takeOut = plant(options.root, fault);
  try {
    if (reachesTemplates(fault)) await forgetTemplates(options.databaseUrl);
    return await runSpecs(fault.specs, options);
  } finally {
    takeOut();
    if (reachesTemplates(fault)) await forgetTemplates(options.databaseUrl);
  }
}

export function outcomeOf({ area, fault }: JudgedFault, before: SpecRun, withFault: SpecRun): Outcome {
  const verdict = judge(fault, before, withFault);
  const known = knownSurvivors[fault.id];
  const common = { area, fault: fault.id, result: verdict.kind, ...(known ? { known } : {}) };
  if (verdict.kind === 'CAUGHT') return { ...common, detail: `${verdict.by.spec}: ${verdict.by.test}: ${verdict.by.message}` };
  return {
    ...common,
    detail: verdict.kind === 'SURVIVED' ? `${fault.breaks} (${fault.against}, ${fault.file})` : verdict.reason,
  };
}

/** Runs each spec file once without a fault, when a fault first asks for it. */
function unbroken(options: SpecRunOptions): (specs: readonly string[]) => Promise<SpecRun> {
  const ran = new Map<string, TestEnd[] | 'TIMED_OUT'>();
  return async specs => {
    const missing = specs.filter(spec => !ran.has(spec));
    if (missing.length > 0) {
      const run = await runSpecs(missing, options);
      for (const spec of missing) ran.set(spec, run.kind === 'RAN' ? run.ends.filter(end => end.spec === spec) : 'TIMED_OUT');
    }
    const found = specs.map(spec => ran.get(spec)!);
    return found.includes('TIMED_OUT') ? { kind: 'TIMED_OUT' } : { kind: 'RAN', ends: (found as TestEnd[][]).flat() };
  };
}
