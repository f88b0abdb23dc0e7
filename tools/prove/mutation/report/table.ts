import type { Outcome } from './outcome.ts';

/** At least so many of the judged faults must be caught, in percent. */
const scoreMin = 97;

export interface AreaCounts {
  area: string;
  judged: number;
  caught: number;
  survived: number;
  equivalent: number;
  notJudged: number;
}

/** Counts per area in the order of their first outcome, and of all. Equivalent mutants are no faults: they are not judged. */
export function countsOf(outcomes: readonly Outcome[]): { areas: AreaCounts[]; all: AreaCounts } {
  const byArea = Map.groupBy(outcomes, ({ area }) => area);
  return { areas: [...byArea].map(([area, own]) => count(area, own)), all: count('all', outcomes) };
}

function count(area: string, outcomes: readonly Outcome[]): AreaCounts {
  const caught = outcomes.filter(({ result }) => result === 'CAUGHT').length;
  const standing = outcomes.filter(({ result }) => result === 'SURVIVED');
  const equivalent = standing.filter(({ known }) => known?.kind === 'equivalent').length;
  const survived = standing.length - equivalent;
  return { area, judged: caught + survived, caught, survived, equivalent, notJudged: outcomes.length - caught - standing.length };
}

/** In percent; 100 when nothing was judged. */
function scoreOf({ judged, caught }: AreaCounts): number {
  return judged === 0 ? 100 : (caught / judged) * 100;
}

export function tableOf(outcomes: readonly Outcome[]): string {
  const { areas, all } = countsOf(outcomes);
  const rows = [...areas, all].map(counts => [
    counts.area,
    ...[counts.judged, counts.caught, counts.survived, counts.equivalent, counts.notJudged].map(String),
    counts.judged === 0 ? '-' : `${scoreOf(counts).toFixed(1)} %`,
  ]);
  const lines = [['area', 'judged', 'caught', 'survived', 'equivalent', 'not judged', 'score'], ...rows];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map(line => line[column]!.length)));
  return lines
    .map(line => line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '))
    .join('\n');
}

/** Faults that nobody noticed and nobody has explained: missing tests. */
function unexplained(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ result, known }) => result === 'SURVIVED' && !known);
}

/** Reasons why the run fails; none: exit code 0. */
export function problemsOf(outcomes: readonly Outcome[]): string[] {
  const { all } = countsOf(outcomes);
  const problems: string[] = [];
  if (all.judged === 0) problems.push('nothing was judged');
  else if (scoreOf(all) < scoreMin) problems.push(`${scoreOf(all).toFixed(1)} % caught, must be ${scoreMin} %`);
  const missing = unexplained(outcomes).length;
  if (missing > 0) problems.push(`${missing} survived without an explanation`);
  return problems;
}
