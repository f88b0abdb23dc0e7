import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { FixtureRun } from './fixtures/fixture-run';

describe('open resources of a spec file', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paycode-fixture-'));
    chmodSync(folder, 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function outcomeOf(file: string): Promise<{ output: string; code: number | null; tests: object }> {
    const run = new FixtureRun(file, folder);
    const code = await run.exited;
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(join(folder, 'fixture.json'), 'utf8'),
    ) as Record<string, number>;
    return { output: run.output, code, tests: { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } };
  }

  it('are reported after the failed assertion, by kind and address, and the run ends with both and the counts', async () => {
    const { output, code, tests } = await outcomeOf('leaks-and-fails');
    expect(code).toBe(1);
    expect(tests).toEqual({ numPassedTests: 1, numFailedTests: 1, numRuntimeErrorTestSuites: 1 });
    const parts = [
      /Expected: "what the spec wants"\s+Received: "the answer of the fixture"/,
      /the spec file left open:\n/,
      /server 127\.0\.0\.1:\d+\n/,
      /connection 127\.0\.0\.1:\d+ -> 127\.0\.0\.1:\d+\n/,
      /child process \d+: .*setInterval/,
      /setInterval started in tools\/prove\/testing\/fixtures\/cases\.fixture\.ts:\d+/,
      /Tests: {7}1 failed, 1 passed, 2 total/,
    ];
    const places = parts.map(part => output.search(part));
    expect({ places, output }).toEqual({ places: places.toSorted((a, b) => a - b), output });
    expect(places).not.toContain(-1);
    // Killed before the run ended; until the system has buried it, its pid answers.
    await eventually(() => expect(childrenOf(output)).toEqual([]));
  });

  it('is nothing, but a test is skipped without a reason: that fails the run as well', async () => {
    const { output, code } = await outcomeOf('skips-silently');
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('1 tests were skipped without a reason') });
  });

  it('is nothing, but Jest ends before it tells its results: that fails the run as well', async () => {
    const run = new FixtureRun('ends-the-run', folder);
    const code = await run.exited;
    expect({ code, output: run.output }).toEqual({
      code: 1,
      output: expect.stringMatching(/Jest ended with 0 before it wrote .*fixture\.json/),
    });
  });

  it('is nothing: the run passes, tells the reasons of skipped tests, and leaves no folder', async () => {
    const { output, code } = await outcomeOf('passes');
    expect({ code, output }).toEqual({ code: 0, output });
    expect(output).toMatch(/Tests: {7}1 skipped, 2 passed, 3 total/);
    expect(output).toContain('Skipped: 1 (no fixture asked for it)');
    expect(readdirSync(folder)).toEqual(['fixture.json']);
  });
});

/** The child process that the output names, when it still runs. */
function childrenOf(output: string): number[] {
  const pids = [...output.matchAll(/child process (\d+):/g)].map(([, pid]) => Number(pid));
  return pids.filter(pid => {
    try {
      return process.kill(pid, 0);
    } catch {
      // No such process: that is what is wanted.
      return false;
    }
  });
}
