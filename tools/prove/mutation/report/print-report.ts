import type { Outcome } from './outcome.ts';
import { problemsOf, tableOf } from './table.ts';

type Say = (text: string) => void;

/** Survivors with why, faults that could not be judged, known survivors that are caught by now. */
export function reportOutcomes(outcomes: readonly Outcome[], say: Say): void {
  for (const { fault, detail, known } of outcomes.filter(({ result }) => result === 'SURVIVED'))
    say(`survived: ${fault}: ${detail}${known ? ` (${known.kind}: ${known.why})` : ''}`);
  for (const { fault, detail } of outcomes.filter(({ result }) => result === 'NOT_JUDGED'))
    say(`not judged: ${fault}: ${detail}`);
  for (const { fault } of outcomes.filter(({ result, known }) => result === 'CAUGHT' && known))
    say(`caught, although the list of known survivors has it (take it out): ${fault}`);
}

/** The table and the verdict. Answers the exit code. */
export function reportVerdict(outcomes: readonly Outcome[], say: Say): 0 | 1 {
  say(`\n${tableOf(outcomes)}\n`);
  const problems = problemsOf(outcomes);
  say(problems.length === 0 ? 'mutation run: ok' : `mutation run: FAILED: ${problems.join('; ')}`);
  return problems.length === 0 ? 0 : 1;
}
