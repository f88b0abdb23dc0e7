import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Seconds of a suite on two quiet cores, for the first run on a machine. Later ones know how long each suite took there. */
const secondsPerSuite: Record<string, number> = {
  test: 1.6,
  'test:e2e': 12,
  'test:kits': 15,
  'test:node-versions': 15,
  'test:gateway-compat': 20,
  'test:manifests': 10,
  'test:kafka-cluster': 90,
  'test:faults': 45,
};
const secondsPerSuiteOfOthers = 2;

/** What an earlier run measured, and how much the machine slowed it down. */
interface Recorded {
  slowdown: number;
}

export interface RunOutlook {
  name: string;
  suites: number;
  /** Seconds that Jest makes of what the suites took last time; 0 when it knows none of them. */
  fromLastRun: number;
  slowdown: number;
}

const folderOfRecords = (root: string): string => join(root, '.cache/test-runs');
const recordOf = (root: string, name: string): string => join(folderOfRecords(root), `${name.replaceAll(':', '-')}.json`);

/** Seconds that a run will take, from the last run here or the committed default, on the machine as busy as it is. */
export function estimateSeconds(root: string, { name, suites, fromLastRun, slowdown }: RunOutlook): number {
  if (fromLastRun === 0) return suites * (secondsPerSuite[name] ?? secondsPerSuiteOfOthers) * slowdown;
  return (fromLastRun * slowdown) / slowdownThen(root, name);
}

function slowdownThen(root: string, name: string): number {
  try {
    return (JSON.parse(readFileSync(recordOf(root, name), 'utf8')) as Recorded).slowdown;
  } catch {
    // No run has ended here yet: as if the machine had been quiet.
    return 1;
  }
}

/** Keeps how much the machine slowed this run down; Jest keeps the durations of the suites. */
export function recordRun(root: string, name: string, slowdown: number): void {
  const file = recordOf(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ slowdown } satisfies Recorded));
}

export interface Progress {
  /** Suites that have ended. */
  done: number;
  suites: number;
}

/** Seconds until the end: by what is done once enough is, by the estimate before. */
export function remainingSeconds({ done, suites }: Progress, elapsed: number, estimate: number): number {
  const byProgress = done === 0 ? estimate : (elapsed * (suites - done)) / done;
  const share = Math.min(1, done / Math.max(1, suites / 4));
  return Math.max(0, share * byProgress + (1 - share) * Math.max(0, estimate - elapsed));
}

/** `45 s`, `3 min 20 s`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 90 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
