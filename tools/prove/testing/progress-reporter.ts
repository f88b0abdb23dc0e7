/** Jest's reporter of the `npm run test…` commands: what will run, one line per suite, failures in full, and a summary. */
import { relative } from 'node:path';
import { busyLine, machineLoad, slowdown } from './machine-load.ts';
import { duration, estimateSeconds, recordRun, remainingSeconds } from './run-estimate.ts';
import { skipLines, slowestLines, type SuiteResult, suiteCounts, testCounts } from './run-summary.ts';

interface GlobalConfig {
  rootDir: string;
  maxWorkers: number;
  outputFile?: string;
  testNamePattern?: string;
}

interface Totals {
  numTotalTestSuites: number;
  testResults: SuiteResult[];
}

interface RunningTest {
  path: string;
  context: { config: { rootDir: string } };
}

class ProgressReporter {
  private readonly name = process.env['PAYCODE_TEST_RUN'] ?? 'test';
  private readonly root = process.cwd();
  private readonly startedAt = performance.now();
  private readonly slowdownAtStart: number;
  private estimate = 0;
  suites = 0;
  done = 0;
  private problem?: Error;
  // Node takes the types away and nothing else: no parameter property.
  private readonly config: GlobalConfig;

  constructor(config: GlobalConfig) {
    this.config = config;
    this.slowdownAtStart = slowdown(machineLoad(), config.maxWorkers);
    // Sent when Jest has said everything and does not end.
    process.once('SIGUSR2', () => {
      process.stderr.write(
        `still open: ${[...new Set(process.getActiveResourcesInfo())].join(', ') || 'nothing that Node knows'}\n`,
      );
      process.exit(1);
    });
  }

  onRunStart({ numTotalTestSuites }: Totals, { estimatedTime }: { estimatedTime: number }): void {
    this.suites = numTotalTestSuites;
    const outlook = { name: this.name, suites: this.suites, fromLastRun: estimatedTime, slowdown: this.slowdownAtStart };
    this.estimate = estimateSeconds(this.root, outlook);
    say(`${this.suites} suites, about ${duration(this.estimate)}.`);
    sayIf(busyLine(machineLoad(), 'start', this.config.maxWorkers));
  }

  onTestFileResult({ path }: RunningTest, result: SuiteResult): void {
    this.done += 1;
    const failed = result.numFailingTests > 0 || result.testExecError !== undefined;
    const tests = result.numPassingTests + result.numFailingTests;
    const left = remainingSeconds(this, this.elapsed, this.estimate);
    const took = (result.perfStats.runtime / 1000).toFixed(1);
    const progress = `${String(this.done).padStart(String(this.suites).length)}/${this.suites}`;
    const ahead = this.done === this.suites ? '' : `, about ${duration(left)} left`;
    say(`${failed ? 'FAIL' : 'ok  '} ${progress} ${relative(this.root, path)} (${tests} tests, ${took} s)${ahead}`);
    for (const { type, message } of result.console ?? []) say(`  console.${type}: ${message}`);
    if (result.failureMessage) say(`\n${result.failureMessage}`);
  }

  onRunComplete(_contexts: unknown, { testResults }: Totals): void {
    const skips = skipLines(testResults, this.config.testNamePattern !== undefined && this.config.testNamePattern !== '');
    const failures = testResults.flatMap(suite => failuresOf(this.root, suite));
    say('');
    for (const failure of failures) say(`failed: ${failure}`);
    say(`Suites   ${suiteCounts(testResults)}`);
    say(`Tests    ${testCounts(testResults)}`);
    for (const line of skips.lines) say(`Skipped  ${line}`);
    for (const line of slowestLines(this.root, testResults)) say(`Slowest  ${line}`);
    say(`Time     ${duration(this.elapsed)} (expected about ${duration(this.estimate)})`);
    if (this.config.outputFile) say(`Report   ${relative(this.root, this.config.outputFile)}`);
    sayIf(busyLine(machineLoad(), 'end', this.config.maxWorkers));
    if (skips.withoutReason > 0)
      this.fail(`${skips.withoutReason} tests were skipped without a reason: end the title with "(not run: <why>)"`);
    recordRun(this.root, this.name, (this.slowdownAtStart + slowdown(machineLoad(), this.config.maxWorkers)) / 2);
  }

  /** Jest fails the run by this, and says nothing of it. */
  private fail(message: string): void {
    this.problem = new Error(message);
    say(message);
  }

  getLastError(): Error | undefined {
    return this.problem;
  }

  private get elapsed(): number {
    return (performance.now() - this.startedAt) / 1000;
  }
}

function failuresOf(root: string, { testFilePath, testResults, testExecError }: SuiteResult): string[] {
  const file = relative(root, testFilePath);
  const tests = testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => `${file}: ${fullName}`);
  return testExecError ? [...tests, `${file}: the file itself`] : tests;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function sayIf(line: string | undefined): void {
  if (line) say(line);
}

export { ProgressReporter as default };
