import type { PlantedFault } from './planted-fault.ts';
import type { SpecRun, TestEnd } from './run-specs.ts';

export type Verdict =
  | { kind: 'CAUGHT'; by: TestEnd }
  | { kind: 'SURVIVED' }
  /** Nothing can be said: its specs are red without the fault too, or did not end. */
  | { kind: 'NOT_JUDGED'; reason: string };

/** Compares the run with the fault in place with the run without any: only a test that was green before can catch it. */
export function judge(fault: Pick<PlantedFault, 'specs'>, before: SpecRun, withFault: SpecRun): Verdict {
  if (before.kind === 'TIMED_OUT') return { kind: 'NOT_JUDGED', reason: 'its specs do not end, without the fault too' };
  const green = new Set(before.ends.filter(({ isPassed }) => isPassed).map(nameOf));
  const wasGreen = before.ends.some(({ spec, isPassed }) => isPassed && fault.specs.includes(spec));
  if (!wasGreen) return { kind: 'NOT_JUDGED', reason: 'its specs are red without the fault too' };
  if (withFault.kind === 'TIMED_OUT') return { kind: 'NOT_JUDGED', reason: 'its specs did not end' };
  const by = withFault.ends.find(end => !end.isPassed && green.has(nameOf(end)));
  if (by) return { kind: 'CAUGHT', by };
  const wasRed = before.ends.filter(({ spec, isPassed }) => !isPassed && fault.specs.includes(spec));
  return wasRed.length === 0
    ? { kind: 'SURVIVED' }
    : { kind: 'NOT_JUDGED', reason: `red without the fault too: ${wasRed.map(({ test }) => test).join('; ')}` };
}

function nameOf({ spec, test }: TestEnd): string {
  return `${spec} ${test}`;
}
