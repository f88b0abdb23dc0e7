import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** How one test of a spec file ended. A file that does not even load, or leaves something open, counts as a test of its own. */
export interface TestEnd {
  spec: string;
  test: string;
  isPassed: boolean;
  /** First line of what went wrong; empty when passed. */
  message: string;
}

export type SpecRun = TestEnd[] | 'TIMED_OUT';

export interface SpecRunOptions {
  /** The checkout whose specs run. */
  root: string;
  /** The server that outlives the run. */
  databaseUrl: string;
}

interface JestReport {
  testResults: {
    name: string;
    message: string;
    status: 'passed' | 'failed';
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const wholeFile = 'the file as a whole';
/** Longest run of the specs of one fault. */
const runMsMax = 1_800_000;
/** Longest test: a condition that a test awaits gives up before. */
const testMsMax = 300_000;

/** Runs the spec files, paths from the root, in one Jest run. @throws Error when Jest itself fails to report */
export async function runSpecs(specs: readonly string[], options: SpecRunOptions): Promise<SpecRun> {
  const report = join(options.root, '.mutation-report.json');
  rmSync(report, { force: true });
  const hasEnded = await jest([...specs, '--json', `--outputFile=${report}`], options);
  if (!hasEnded.inTime) return 'TIMED_OUT';
  if (!existsSync(report)) throw new Error(`Jest made no report of ${specs.join(', ')}:\n${hasEnded.output.slice(-2_000)}`);
  return testEnds(JSON.parse(readFileSync(report, 'utf8')) as JestReport, options.root);
}

function jest(words: readonly string[], { root, databaseUrl }: SpecRunOptions): Promise<{ inTime: boolean; output: string }> {
  const specs = words.filter(word => !word.startsWith('--'));
  const projects = [...new Set(specs.map(projectOf))].flatMap(project => ['--projects', join(root, project)]);
  // Ends when every test has: what a fault leaves open must not keep the run from ending.
  const flags = ['--runTestsByPath', '--maxWorkers=2', '--silent', '--forceExit', `--testTimeout=${testMsMax}`];
  const cache = [`--cacheDirectory=${join(root, '.jest-cache')}`];
  const env = { ...process.env, PAYCODE_TEST_DATABASE_URL: databaseUrl };
  const args = [...node, join(root, 'node_modules/jest/bin/jest.js'), ...words, ...flags, ...cache, ...projects];
  // A group of its own: a fault may leave processes behind that nobody else would end.
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const end = (): void => endGroup(child.pid!);
  process.prependOnceListener('exit', end);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    let inTime = true;
    const timer = setTimeout(() => {
      inTime = false;
      end();
    }, runMsMax);
    child.once('error', reject);
    child.once('exit', () => {
      clearTimeout(timer);
      process.off('exit', end);
      end();
      resolve({ inTime, output });
    });
  });
}

/** Ends a process and everything it started. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** `apps/x`, `libs/y` or `tools/z`: the folder with the Jest configuration. */
function projectOf(spec: string): string {
  const [group = '', name = ''] = spec.split('/');
  if (spec.endsWith('.manifest.ts')) return 'tools/check/manifests';
  return `${group}/${name}`;
}

export function testEnds(report: JestReport, root: string): TestEnd[] {
  return report.testResults.flatMap(file => {
    const spec = file.name.slice(root.length + 1);
    const ends = file.assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status, failureMessages }) => ({
        spec,
        test: fullName,
        isPassed: status === 'passed',
        message: firstLine(failureMessages[0] ?? ''),
      }));
    // Failed although no test did: it does not load, or its set-up failed, or it left something open.
    const isWholeFailed = file.status === 'failed' && ends.every(({ isPassed }) => isPassed);
    return [...ends, { spec, test: wholeFile, isPassed: !isWholeFailed, message: isWholeFailed ? firstLine(file.message) : '' }];
  });
}

const escapes = /\u001b\[[0-9;]*m/g;

function firstLine(text: string): string {
  const lines = text.replace(escapes, '').split('\n');
  return lines.map(line => line.trim()).find(line => line !== '' && !line.startsWith('●')) ?? '';
}
