import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { busyLine, slowdown } from './machine-load';
import { duration, estimateSeconds, recordRun, remainingSeconds } from './run-estimate';
import { skipLines, slowestLines, type SuiteResult, suiteCounts, testCounts } from './run-summary';

const suite = (name: string, seconds: number, tests: Partial<SuiteResult['testResults'][number]>[] = []): SuiteResult => ({
  testFilePath: `/w/${name}.spec.ts`,
  testResults: tests.map(test => ({ ancestorTitles: [], title: 'a', fullName: 'a', status: 'passed', ...test })),
  numPassingTests: tests.filter(({ status }) => status === undefined).length,
  numFailingTests: tests.filter(({ status }) => status === 'failed').length,
  numPendingTests: tests.filter(({ status }) => status === 'pending').length,
  perfStats: { runtime: seconds * 1000 },
});

describe('the report of a test run about the machine', () => {
  it('nothing while it is quiet, the load and what it costs when it is busy', () => {
    expect(busyLine({ load: 2, cores: 2 }, 'start', 2)).toBeUndefined();
    expect(busyLine({ load: 9.1, cores: 2 }, 'start', 2)).toBe(
      'This machine is busy: load 9.1 on 2 cores; expect about 6 times longer.',
    );
    expect(busyLine({ load: 9.1, cores: 2 }, 'end', 2)).toContain('load 9.1 on 2 cores');
    expect(slowdown({ load: 0, cores: 8 }, 2)).toBe(1);
  });
});

describe('how long a test run will take', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'paycode-estimate-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  it('the first time: a fixed time per suite, times the slowdown of the machine', () => {
    const outlook = { name: 'test', suites: 100, fromLastRun: 0, slowdown: 1 };
    const quiet = estimateSeconds(root, outlook);
    expect(quiet).toBeGreaterThan(0);
    expect(estimateSeconds(root, { ...outlook, slowdown: 3 })).toBeCloseTo(3 * quiet);
  });

  it('later: what the suites took last time, as busy as the machine was then and is now', () => {
    recordRun(root, 'test:e2e', 2);
    expect(estimateSeconds(root, { name: 'test:e2e', suites: 5, fromLastRun: 100, slowdown: 4 })).toBe(200);
  });

  it('while it runs: by the estimate first, by its progress once a quarter is done, nothing at the end', () => {
    expect(remainingSeconds({ done: 0, suites: 100 }, 0, 60)).toBe(60);
    expect(remainingSeconds({ done: 50, suites: 100 }, 300, 60)).toBe(300);
    expect(remainingSeconds({ done: 100, suites: 100 }, 600, 60)).toBe(0);
  });

  it('is printed in seconds, or in minutes and seconds', () => {
    expect([45, 200].map(duration)).toEqual(['45 s', '3 min 20 s']);
  });
});

describe('the summary of a test run', () => {
  const suites = [
    suite('quick', 1, [{}, {}]),
    suite('slow', 9, [{ status: 'failed' }, { status: 'pending', ancestorTitles: ['on Kafka (not run: no KAFKA_BROKERS)'] }]),
    suite('middling', 5, [{ status: 'pending', title: 'in a browser (not run: no Chromium)' }]),
  ];

  it('counts suites and tests', () => {
    expect(suiteCounts(suites)).toBe('2 passed, 1 failed, 3 in all');
    expect(testCounts(suites)).toBe('2 passed, 1 failed, 2 skipped');
  });

  it('names the slowest first', () => {
    expect(slowestLines('/w', suites)).toEqual(['9.0 s  slow.spec.ts', '5.0 s  middling.spec.ts', '1.0 s  quick.spec.ts']);
  });

  it('gives the reason of each skipped test; one without a reason counts, unless -t left it out', () => {
    expect(skipLines(suites, false)).toEqual({ lines: ['1: no KAFKA_BROKERS', '1: no Chromium'], withoutReason: 0 });
    const silent = [suite('silent', 1, [{ status: 'pending' }])];
    expect(skipLines(silent, false).withoutReason).toBe(1);
    expect(skipLines(silent, true)).toEqual({ lines: ['1: left out by -t'], withoutReason: 0 });
  });
});
