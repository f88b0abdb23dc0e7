import type { DryRunResult, MutantRunOptions, MutantRunResult, TestRunner } from '@stryker-mutator/api/test-runner';
import { SpecModules } from './spec-modules.ts';
import { fileOf, type TestRun, TestRuns } from './test-runs.ts';

/** The variables that instrumented code reads and counts (Stryker's INSTRUMENTER_CONSTANTS). */
interface Instrumented {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

const instrumented = ((globalThis as { __stryker__?: Instrumented }).__stryker__ ??= {});

/** The verdict of the tests on one mutant. */
interface Judgement {
  failed: TestRun | undefined;
  count: number;
}

/**
 * Judges mutants in one process whose modules stay loaded, because loading them costs many times what the tests cost. The test that fails under
 * a mutant must pass without it; if it does not, an earlier mutant left something behind, and everything is loaded anew. A mutant that survives
 * is judged once more by modules that were loaded under it.
 */
export class WarmRunner implements TestRunner {
  private readonly modules = new SpecModules();
  private readonly tests = new TestRuns(this.modules);

  capabilities() {
    return { reloadEnvironment: true };
  }

  /** Each file with modules of its own, as under Jest: what they run while they load belongs to none of its tests. */
  async dryRun(): Promise<DryRunResult> {
    const runs: TestRun[] = [];
    for (const file of this.modules.files) {
      this.modules.forget();
      runs.push(...(await this.tests.run(file, { running: id => void (instrumented.currentTestId = id) })));
    }
    const failed = runs.find(({ failure }) => failure !== undefined);
    if (failed) return { status: 'error', errorMessage: `${failed.id}: ${failed.failure}` } as DryRunResult;
    const tests = runs.map(({ id, durationMs }) => ({ id, name: id, status: 0, timeSpentMs: durationMs }));
    return { status: 'complete', tests, mutantCoverage: instrumented.mutantCoverage } as unknown as DryRunResult;
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    try {
      let judgement = await this.judge(options);
      if (judgement.failed && !(await this.passes(judgement.failed))) judgement = await this.judgeAnew(options);
      if (!judgement.failed && !this.limitReached()) judgement = await this.judgeAnew(options);
      return this.resultOf(judgement);
    } catch (error) {
      // A file that does not load under the mutant.
      return { status: 'error', errorMessage: String(error) } as MutantRunResult;
    }
  }

  private judgeAnew(options: MutantRunOptions): Promise<Judgement> {
    this.modules.forget();
    return this.judge(options).finally(() => this.modules.forget());
  }

  private async judge({ activeMutant, hitLimit, testFilter }: MutantRunOptions): Promise<Judgement> {
    Object.assign(instrumented, { activeMutant: activeMutant.id, hitCount: 0, hitLimit });
    try {
      return await this.firstFailure(testFilter);
    } finally {
      instrumented.activeMutant = undefined;
    }
  }

  /** @throws what a file throws while it loads, unless a test of another one fails */
  private async firstFailure(testFilter: readonly string[] | undefined): Promise<Judgement> {
    const only = testFilter && new Set(testFilter);
    const unloaded: unknown[] = [];
    let count = 0;
    for (const file of testFilter ? new Set(testFilter.map(fileOf)) : this.modules.files) {
      const runs = await this.tests.run(file, { only }).catch((error: unknown): TestRun[] => {
        unloaded.push(error);
        return [];
      });
      count += runs.length;
      const failed = runs.find(({ failure }) => failure !== undefined);
      if (failed) return { failed, count };
    }
    if (unloaded.length > 0) throw unloaded[0];
    return { failed: undefined, count };
  }

  private async passes({ id, file }: TestRun): Promise<boolean> {
    const { hitCount } = instrumented;
    const runs = await this.tests.run(file, { only: new Set([id]) });
    instrumented.hitCount = hitCount;
    return runs.length > 0 && runs.every(({ failure }) => failure === undefined);
  }

  private limitReached(): boolean {
    const { hitCount, hitLimit } = instrumented;
    return hitLimit !== undefined && hitCount !== undefined && hitCount > hitLimit;
  }

  private resultOf({ failed, count }: Judgement): MutantRunResult {
    const { hitCount, hitLimit } = instrumented;
    const result = this.limitReached()
      ? { status: 'timeout', reason: `Hit limit reached (${hitCount}/${hitLimit})` }
      : failed
        ? { status: 'killed', killedBy: [failed.id], failureMessage: failed.failure, nrOfTests: count }
        : { status: 'survived', nrOfTests: count };
    return result as unknown as MutantRunResult;
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'warm', injectableClass: WarmRunner }];
