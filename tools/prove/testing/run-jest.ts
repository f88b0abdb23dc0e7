/** Starts Jest for the `npm run test…` commands, with the same reports, clean-up and end for all of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { closeRunFolder, openRunFolder, sweepDeadRuns } from './run-folder.ts';

const root = join(import.meta.dirname, '../../..');
const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const didNotExit = /Jest did not exit one second after/;
/** Time for a run that does not end by itself to report what keeps it open, and to exit. */
const lastWordsMs = 10_000;
/** Words that leave the selection of tests as it is. */
const neutral = /^--(json|outputFile|verbose|silent|ci|maxWorkers|runInBand)\b/;
/** Words with which Jest runs no test and writes no report. */
const runsNothing = /^--(listTests|showConfig|help|version|clearCache)\b/;

export interface JestRun {
  /** The npm script; names the report. */
  name: string;
  /** Arguments that the command always gives. Words come before them: project options would swallow a path that follows. */
  args: string[];
  /** Words that the caller added: paths and options of Jest. */
  words: string[];
  env?: Record<string, string>;
}

/**
 * Runs Jest to its end and returns the exit code. A resource that stops Jest from exiting fails the run, and the run still ends. A run that ends
 * before Jest has written its report fails too: Node exits with 0 when nothing keeps its event loop alive, whatever is still to be tested.
 */
export async function runJest(run: JestRun): Promise<number> {
  const swept = await sweepDeadRuns();
  if (swept.folders.length > 0)
    console.log(`Cleared away what ${swept.folders.length} killed test run(s) left, with ${swept.processes} process(es).`);
  const folder = openRunFolder();
  try {
    return await jestIn(folder, run);
  } finally {
    await closeRunFolder(folder);
  }
}

async function jestIn(folder: string, { name, args, words, env }: JestRun): Promise<number> {
  const report = reportFile(name, words);
  rmSync(report, { force: true });
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), ...words, ...reporting(report, words), ...args];
  const child = spawn(process.execPath, [...node, ...jest], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'pipe'],
    env: { ...process.env, ...env, TMPDIR: folder },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  let hasLeak = false;
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text);
    if (!didNotExit.test(text)) return;
    hasLeak = true;
    end(child);
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', exit => resolve(exit ?? 1));
  });
  if (hasLeak) console.error('A test left a timer, connection or process open: that fails the run.');
  const hasReport = existsSync(report) || words.some(word => runsNothing.test(word));
  if (!hasReport) console.error(`Jest ended with ${code} before it wrote ${relative(root, report)}: that fails the run.`);
  return hasLeak || !hasReport ? code || 1 : code;
}

function reporting(report: string, words: readonly string[]): string[] {
  const reporters = ['--reporters=default', `--reporters=${join(root, 'tools/prove/testing/skip-reporter.ts')}`];
  if (words.some(word => word.startsWith('--outputFile='))) return reporters;
  mkdirSync(dirname(report), { recursive: true });
  return [...reporters, '--json', `--outputFile=${report}`];
}

/**
 * `npm run prove -- requirements` reads the reports of whole runs; the report of a partial run must not replace them. PAYCODE_TEST_REPORTS names
 * another
 * folder, for every run.
 */
function reportFile(name: string, words: readonly string[]): string {
  const chosen = words.findLast(word => word.startsWith('--outputFile='));
  if (chosen) return resolve(root, chosen.slice('--outputFile='.length));
  const folder = process.env['PAYCODE_TEST_REPORTS'];
  if (folder) return join(folder, `${name.replaceAll(':', '-')}.json`);
  const isWhole = words.every(word => neutral.test(word));
  return join(root, '.cache/reports', isWhole ? '' : 'selected', `${name.replaceAll(':', '-')}.json`);
}

/** On this signal the reporter prints what is still open and exits. A process that does not react is killed. */
function end(child: ChildProcess): void {
  child.kill('SIGUSR2');
  const timer = setTimeout(() => child.kill('SIGKILL'), lastWordsMs);
  child.once('exit', () => clearTimeout(timer));
}
