import { relative } from 'node:path';
import { skipReason } from './skip-reason.ts';

const slowestMax = 5;
const notRun = new Set(['pending', 'todo']);
const noReason = 'NO REASON GIVEN';

/** What this project reads of Jest's result of one file. */
export interface SuiteResult {
  testFilePath: string;
  testResults: { ancestorTitles: string[]; title: string; fullName: string; status: string }[];
  numPassingTests: number;
  numFailingTests: number;
  numPendingTests: number;
  perfStats: { runtime: number };
  testExecError?: unknown;
  failureMessage?: string | null;
  console?: { type: string; message: string }[];
  skipped?: boolean;
}

const isFailed = ({ numFailingTests, testExecError }: SuiteResult): boolean => numFailingTests > 0 || testExecError !== undefined;
const sum = (suites: readonly SuiteResult[], of: (suite: SuiteResult) => number): number =>
  suites.reduce((total, suite) => total + of(suite), 0);

/** `168 passed, 1 failed, 169 in all`. */
export function suiteCounts(suites: readonly SuiteResult[]): string {
  const failed = suites.filter(isFailed).length;
  return `${suites.length - failed} passed, ${failed} failed, ${suites.length} in all`;
}

/** `1697 passed, 1 failed, 3 skipped`. */
export function testCounts(suites: readonly SuiteResult[]): string {
  const [passed, failed] = [sum(suites, suite => suite.numPassingTests), sum(suites, suite => suite.numFailingTests)];
  return `${passed} passed, ${failed} failed, ${sum(suites, suite => suite.numPendingTests)} skipped`;
}

export interface Skips {
  /** `3 x no KAFKA_BROKERS`, one line per reason. */
  lines: string[];
  withoutReason: number;
}

/** Why tests were skipped; with a `-t` filter those that it leaves out need no reason of their own. */
export function skipLines(suites: readonly SuiteResult[], isFiltered: boolean): Skips {
  const otherwise = isFiltered ? 'left out by -t' : noReason;
  const counts = new Map<string, number>();
  for (const test of suites.flatMap(({ testResults }) => testResults).filter(({ status }) => notRun.has(status))) {
    const reason = skipReason(test) ?? otherwise;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return { lines: [...counts].map(([reason, count]) => `${count}: ${reason}`), withoutReason: counts.get(noReason) ?? 0 };
}

/** The files that took longest, slowest first. */
export function slowestLines(root: string, suites: readonly SuiteResult[]): string[] {
  return suites
    .filter(({ skipped }) => !skipped)
    .toSorted((a, b) => b.perfStats.runtime - a.perfStats.runtime)
    .slice(0, slowestMax)
    .map(({ testFilePath, perfStats }) => `${(perfStats.runtime / 1000).toFixed(1)} s  ${relative(root, testFilePath)}`);
}
