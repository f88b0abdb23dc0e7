/** The table at the end of a game day. */
import type { Expectation, Verdict } from './verdict.ts';

export interface PlayResult {
  name: string;
  expected: Expectation;
  /** Seconds for which the fault was there. */
  heldS: number;
  /** Undefined: the play could not be played. */
  verdict?: Verdict;
  /** Why it was not played, or what showed that the fault was not there. */
  problem?: string;
}

const heads = ['fault', 'fired (min)', 'expected', 'missing', 'unexpected', 'held (min)', ''] as const;

/** One line for each play, as a table of Markdown. */
export function tableOf(results: readonly PlayResult[]): string {
  const rows = results.map(rowOf);
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map(row => row[at]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  return [line(heads), `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}

export function isPassed({ verdict, problem }: PlayResult): boolean {
  return problem === undefined && verdict?.isPassed === true;
}

function rowOf(result: PlayResult): string[] {
  const { name, expected, heldS, problem } = result;
  const may = (expected.may ?? []).map(alert => `(${alert})`);
  const mark = isPassed(result) ? 'ok' : (problem ?? 'FAILED');
  return [name, raisedBy(result), listOf([...expected.must, ...may]), ...differences(result), minutes(heldS), mark];
}

function raisedBy({ verdict }: PlayResult): string {
  return listOf(verdict?.fired.map(({ alert, afterS }) => `${alert} ${minutes(afterS)}`));
}

function differences({ verdict }: PlayResult): string[] {
  if (!verdict) return ['-', '-'];
  const unexpected = [...verdict.unexpectedPages, ...verdict.unexpectedTickets.map(alert => `${alert} (ticket)`)];
  return [listOf(verdict.missing), listOf(unexpected)];
}

const listOf = (names: readonly string[] = []) => (names.length === 0 ? '-' : names.join(', '));
const minutes = (seconds: number) => (seconds / 60).toFixed(1);
