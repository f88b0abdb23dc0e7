/** Beside Jest's own reporter: prints why tests were skipped, and fails a run that skips a test without a reason. */
interface GlobalConfig {
  testNamePattern?: string;
}

interface Results {
  testResults: { testResults: { ancestorTitles: string[]; title: string; status: string }[] }[];
}

/** The title of a skipped test, or that of a `describe` around it, ends with this. */
const reasonPattern = /\(not run: (.+)\)$/;

class SkipReporter {
  private problem?: Error;
  // Node strips types only: a parameter property is not allowed.
  private readonly config: GlobalConfig;

  constructor(config: GlobalConfig) {
    this.config = config;
    // run-jest.ts sends this signal when Jest has ended its work and does not exit.
    process.once('SIGUSR2', () => {
      const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
      process.stderr.write(`still open: ${open || 'nothing that Node knows'}\n`);
      process.exit(1);
    });
  }

  onRunComplete(_contexts: unknown, { testResults }: Results): void {
    const skipped = testResults
      .flatMap(suite => suite.testResults)
      .filter(({ status }) => status === 'pending' || status === 'todo');
    const reasons = skipped.map(({ title, ancestorTitles }) =>
      [title, ...ancestorTitles.toReversed()].map(text => reasonPattern.exec(text)?.[1]).find(reason => reason !== undefined),
    );
    const counts = Map.groupBy(reasons, reason => reason);
    for (const [reason, { length }] of counts) if (reason !== undefined) process.stderr.write(`Skipped: ${length} (${reason})\n`);
    const withoutReason = this.config.testNamePattern ? 0 : (counts.get(undefined)?.length ?? 0);
    if (withoutReason === 0) return;
    this.problem = new Error(`${withoutReason} tests were skipped without a reason: end the title with "(not run: <why>)"`);
    process.stderr.write(`${this.problem.message}\n`);
  }

  /** Jest fails the run when this returns an error. */
  getLastError(): Error | undefined {
    return this.problem;
  }
}

export { SkipReporter as default };
