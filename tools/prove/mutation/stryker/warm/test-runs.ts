import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Circus } from '@jest/types';
import { SetTimers } from './set-timers.ts';
import type { SpecModules } from './spec-modules.ts';
import { TurnLimit } from './turn-limit.ts';

export interface TestRun {
  /** `<file>: <full name>`. */
  id: string;
  file: string;
  /** The first failure; undefined: it passed. */
  failure: string | undefined;
  durationMs: number;
}

export interface RunOptions {
  /** Ids of the tests to run; undefined: all. */
  only?: ReadonlySet<string> | undefined;
  /** Called before each test with its id, and with undefined after it. */
  running?(id: string | undefined): void;
}

type CircusModule = typeof import('jest-circus');

/** Runs spec files by Jest's own runner of tests, its assertions and its mocks, without the rest of Jest. */
export class TestRuns {
  private readonly circus: CircusModule;
  private readonly modules: SpecModules;
  private readonly timers: SetTimers;
  private readonly limit = new TurnLimit();

  constructor(modules: SpecModules) {
    this.modules = modules;
    const load = createRequire(join(process.cwd(), 'package.json'));
    this.circus = this.withLimit(() => load('jest-circus') as CircusModule);
    const { jestExpect } = load('@jest/expect') as { jestExpect: unknown };
    const { ModuleMocker } = load('jest-mock') as { ModuleMocker: new (global: typeof globalThis) => object };
    const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = this.circus;
    const jest = new ModuleMocker(globalThis);
    Object.assign(globalThis, { describe, it, test, beforeAll, beforeEach, afterAll, afterEach, expect: jestExpect, jest });
    this.timers = new SetTimers();
    for (const event of ['uncaughtException', 'unhandledRejection'])
      process.on(event, (error: unknown) => void this.circus.getState().currentlyRunningTest?.errors.push(error as Error));
  }

  /** The tests of one file, up to the first that fails. @throws what the file throws while it loads */
  async run(file: string, { only, running }: RunOptions = {}): Promise<TestRun[]> {
    const { addEventHandler, removeEventHandler, getState, resetState, run } = this.circus;
    const runs: TestRun[] = [];
    const begin = (test: Circus.TestEntry): void => {
      this.limit.nextTest();
      const isWanted = !only || only.has(this.runOf(test, file).id);
      const hasFailed = runs.some(({ failure }) => failure !== undefined);
      if (!isWanted || hasFailed) test.mode = 'skip';
      else running?.(this.runOf(test, file).id);
    };
    const end = (test: Circus.TestEntry): void => {
      running?.(undefined);
      runs.push(this.runOf(test, file));
    };
    const follow: Circus.EventHandler = event => {
      if (event.name === 'test_start') begin(event.test);
      if (event.name === 'test_done') end(event.test);
    };
    resetState();
    getState().testTimeout = this.modules.config.testTimeout;
    addEventHandler(follow);
    try {
      this.modules.define(file);
      await run();
    } finally {
      removeEventHandler(follow);
      this.timers.clear();
    }
    return runs;
  }

  /** The runner of tests takes the timer of its limit when it is loaded. */
  private withLimit<T>(load: () => T): T {
    const { setTimeout: real } = globalThis;
    globalThis.setTimeout = ((run: () => void, ms: number) => this.limit.after(run, ms)) as typeof setTimeout;
    try {
      return load();
    } finally {
      globalThis.setTimeout = real;
    }
  }

  private runOf(test: Circus.TestEntry, file: string): TestRun {
    const names: string[] = [];
    for (let block: Circus.TestEntry | Circus.DescribeBlock | undefined = test; block?.parent; block = block.parent)
      names.unshift(block.name);
    const [error] = test.errors.map(each => this.limit.reword(messageOf(each)));
    return { id: `${file}: ${names.join(' ')}`, file, failure: error, durationMs: test.duration ?? 0 };
  }
}

/** The file of a test. */
export const fileOf = (id: string): string => id.slice(0, id.indexOf(': '));

function messageOf(error: unknown): string {
  const thrown: unknown = Array.isArray(error) ? (error[0] ?? error[1]) : error;
  return thrown instanceof Error ? thrown.message : String(thrown);
}
