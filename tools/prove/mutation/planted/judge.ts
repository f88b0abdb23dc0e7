import { isEndedByClock } from '../report/outcome.ts';
import type { PlantedFault } from './planted-fault.ts';
import type { SpecRun, TestEnd } from './run-specs.ts';

export type Verdict =
  | { kind: 'CAUGHT'; by: TestEnd }
  | { kind: 'SURVIVED' }
  /** Nothing can be said: its specs are red without the fault too, or did not end, or only the clock ended them. */
  | { kind: 'NOT_JUDGED'; reason: string };

/** Compares the run with the fault in place with the run without any: only a test that was green before can catch it. */
export function judge(fault: Pick<PlantedFault, 'specs'>, before: SpecRun, withFault: SpecRun): Verdict {
  if (before.kind === 'TIMED_OUT') return { kind: 'NOT_JUDGED', reason: 'its specs do not end, without the fault too' };
  const green = new Set(before.ends.filter(({ isPassed }) => isPassed).map(nameOf));
  const wasGreen = before.ends.some(({ spec, isPassed }) => isPassed && fault.specs.includes(spec));
  if (!wasGreen) return { kind: 'NOT_JUDGED', reason: 'its specs are red without the fault too' };
  if (withFault.kind === 'TIMED_OUT') return { kind: 'NOT_JUDGED', reason: 'its specs did not end' };
  const red = withFault.ends.filter(end => !end.isPassed && green.has(nameOf(end)));
  const by = red.find(({ message }) => !isEndedByClock(message));
  if (by) return { kind: 'CAUGHT', by };
  if (red.length > 0) return { kind: 'NOT_JUDGED', reason: `only the clock ended: ${red.map(({ test }) => test).join('; ')}` };
  const wasRed = before.ends.filter(({ spec, isPassed }) => !isPassed && fault.specs.includes(spec));
  return wasRed.length === 0
    ? { kind: 'SURVIVED' }
    : { kind: 'NOT_JUDGED', reason: `red without the fault too: ${wasRed.map(({ test }) => test).join('; ')}` };
}

function nameOf({ spec, test }: TestEnd): string {
  return `${spec} ${test}`;
}
