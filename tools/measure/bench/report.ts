/** Output of a benchmark: a table for people, a JSON file for comparisons. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

export interface Goal {
  measure: string;
  goal: string;
  reached: string;
  isMet: boolean;
}

interface Reached {
  value: number;
  /** As it is printed. */
  shown: string;
}

export function atLeast(measure: string, limit: number, { value, shown }: Reached): Goal {
  return { measure, goal: `>= ${limit}`, reached: shown, isMet: value >= limit };
}

export function atMost(measure: string, limit: number, { value, shown }: Reached): Goal {
  return { measure, goal: `<= ${limit}`, reached: shown, isMet: value <= limit };
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
  print(line(head));
  print(widths.map(width => '-'.repeat(width)).join('  '));
  for (const row of rows) print(line(row));
  print();
}

export function printGoals(goals: Goal[]): void {
  const rows = goals.map(({ measure, goal, reached, isMet }) => [measure, goal, reached, isMet ? 'met' : 'not met']);
  printTable(['measure', 'goal', 'reached', ''], rows);
}

/** `1.23 (1.10-1.40)`. */
export function show({ median, min, max }: Spread, digits = 2): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;
}

/** One-minute load when the benchmark began: tells a quiet machine from a busy one. */
const loadBefore = loadavg()[0];

/** Where the figures come from. */
export function machineFacts(): Record<string, unknown> {
  const processors = cpus();
  return {
    at: new Date().toISOString(),
    system: `${type()} ${release()}`,
    processor: `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadBefore,
    node: process.version,
    commit: commitOf(),
  };
}

/** Writes `dist/bench/<name>.json`; the path. */
export function writeJson(name: string, content: Record<string, unknown>): string {
  const folder = join(process.cwd(), 'dist/bench');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

function commitOf(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

/** Figures of a benchmark: medians of rounds and percentiles of single events; no means, because one outlier changes a mean. */

/** Median over rounds with the extremes beside it. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** The smallest value that at least `share` (0 to 1) of the values do not exceed (nearest rank). NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1]!;
}

/** Middle value; of an even number of values the mean of the two in the middle. NaN without values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return NaN;
  const sorted = values.toSorted((left, right) => left - right);
  const above = sorted[Math.floor(sorted.length / 2)]!;
  return sorted.length % 2 === 1 ? above : (above + sorted[sorted.length / 2 - 1]!) / 2;
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
