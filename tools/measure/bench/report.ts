/** The report of a benchmark: tables, goals and audit. */

/** Median over rounds with the extremes beside it. No means, because one outlier changes a mean. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

interface Goal {
  measure: string;
  goal: string;
  reached: string;
  isMet: boolean;
}

export function atLeast(measure: string, limit: number, reached: Spread | number): Goal {
  return { measure, goal: `>= ${limit}`, reached: show(reached), isMet: middleOf(reached) >= limit };
}

export function atMost(measure: string, limit: number, reached: Spread | number): Goal {
  return { measure, goal: `<= ${limit}`, reached: show(reached), isMet: middleOf(reached) <= limit };
}

const middleOf = (reached: Spread | number) => (typeof reached === 'number' ? reached : reached.median);

/** Prints goals, and the findings of the audits. True when there are none. */
export function report(goals: readonly Goal[], deviations: readonly string[]): boolean {
  const rows = goals.map(({ measure, goal, reached, isMet }) => [measure, goal, reached, isMet ? 'met' : 'not met']);
  printTable(['measure', 'goal', 'reached', ''], rows);
  for (const deviation of deviations) print(`AUDIT ${deviation}`);
  if (deviations.length === 0) print('audit: every payment has exactly one POST and the ends that it must have');
  return deviations.length === 0;
}

export const print = (line = ''): void => void process.stdout.write(`${line}\n`);

/** Prints the current step. */
export const progress = (text: string): void =>
  void process.stderr.write(`${process.uptime().toFixed(0).padStart(4)} s  ${text}\n`);

/** Right-aligned columns, the first one left-aligned. */
export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map(row => (row[at] ?? '').length)));
  const line = (cells: string[]) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  ');
  for (const cells of [head, widths.map(width => '-'.repeat(width)), ...rows, []]) print(line(cells));
}

/** `1.23 (1.10-1.40)`; three digits that count, unless the caller says how many stand behind the point. */
export function show(reached: Spread | number, digits = digitsOf(middleOf(reached))): string {
  if (typeof reached === 'number') return reached.toFixed(digits);
  return `${reached.median.toFixed(digits)} (${reached.min.toFixed(digits)}-${reached.max.toFixed(digits)})`;
}

function digitsOf(value: number): number {
  return Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1))));
}

/** The smallest value that at least `share` (0 to 1) of the values do not exceed (nearest rank). NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? NaN;
}

/** Middle value; of an even number of values the mean of the two in the middle. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? NaN) + (sorted[Math.ceil(at)] ?? NaN)) / 2;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Ratio of two contenders, round by round: what disturbed one round disturbed both. Throws when the rounds do not pair. */
export function ratioOf(numerators: readonly number[], denominators: readonly number[]): Spread {
  if (numerators.length !== denominators.length || numerators.length === 0)
    throw new Error(`${numerators.length} rounds against ${denominators.length}`);
  return spreadOf(numerators.map((value, round) => value / denominators[round]!));
}

/** Results of a run, to compare with what was sent. */
export interface Evidence {
  sent: Iterable<number>;
  /** Transaction of each POST that a receiver saw. */
  received: Iterable<number>;
  verdicts: Iterable<{ transactionId: number; kind: string }>;
  decisions: Iterable<{ transactionId: number; kind: string }>;
}

const examplesMax = 3;

/**
 * Deviations of a run. Each sent transaction must have exactly one POST, one verdict and one decision, acknowledged and settled, and there
 * must be no others (P-I1, P-I2, P-I8). Empty when there are none.
 */
export function deviationsOf(evidence: Evidence): string[] {
  const sent = new Set(evidence.sent);
  const [verdicts, decisions] = [[...evidence.verdicts], [...evidence.decisions]];
  return [
    ...countDeviations('POST', sent, evidence.received),
    ...countDeviations('verdict', sent, verdicts.map(idOf)),
    ...countDeviations('decision', sent, decisions.map(idOf)),
    ...describe('verdict other than ACKED_HTTP', verdicts.filter(({ kind }) => kind !== 'ACKED_HTTP').map(idOf)),
    ...describe('decision other than SETTLED', decisions.filter(({ kind }) => kind !== 'SETTLED').map(idOf)),
  ];
}

/** Ids of `sent` that are missing or repeated in `seen`, and ids of `seen` that were not sent. */
export function countDeviations(what: string, sent: ReadonlySet<number>, seen: Iterable<number>): string[] {
  const counts = new Map<number, number>();
  for (const id of seen) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [
    ...describe(
      `no ${what}`,
      [...sent].filter(id => !counts.has(id)),
    ),
    ...describe(
      `more than one ${what}`,
      [...counts].filter(([, count]) => count > 1).map(([id]) => id),
    ),
    ...describe(
      `${what} of a transaction that was not sent`,
      [...counts.keys()].filter(id => !sent.has(id)),
    ),
  ];
}

function describe(what: string, ids: readonly number[]): string[] {
  if (ids.length === 0) return [];
  const examples = ids.slice(0, examplesMax).join(', ');
  return [`${ids.length} x ${what} (${examples}${ids.length > examplesMax ? ', …' : ''})`];
}

const idOf = ({ transactionId }: { transactionId: number }) => transactionId;
