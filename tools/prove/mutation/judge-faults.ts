import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../libs/persistence/src/embedded/embedded-postgres.ts';
import { isEndedByClock, type Outcome, type SeededFault, seedFault } from './seeded-faults.ts';

/** How one test of a spec file ended. A file that does not even load, or leaves something open, counts as a test of its own. */
interface TestEnd {
  spec: string;
  test: string;
  isPassed: boolean;
  /** First line of what went wrong; empty when passed. */
  message: string;
}

export type SpecRun = TestEnd[] | 'TIMED_OUT';

interface SpecRunOptions {
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

/** Runs the spec files, paths from the root, in a Jest run for each configuration. @throws Error when Jest itself fails to report */
async function runSpecs(specs: readonly string[], options: SpecRunOptions): Promise<SpecRun> {
  const report = join(options.root, '.mutation-report.json');
  const ends: TestEnd[] = [];
  for (const [config, own] of Map.groupBy(specs, configOf)) {
    rmSync(report, { force: true });
    const hasEnded = await jest([...own, '-c', join(options.root, config), '--json', `--outputFile=${report}`], options);
    if (!hasEnded.inTime) return 'TIMED_OUT';
    if (!existsSync(report)) throw new Error(`Jest made no report of ${own.join(', ')}:\n${hasEnded.output.slice(-2_000)}`);
    ends.push(...testEnds(JSON.parse(readFileSync(report, 'utf8')) as JestReport, options.root));
  }
  return ends;
}

/** The Jest configuration of a spec. */
function configOf(spec: string): string {
  if (spec.endsWith('.manifest.ts')) return 'tools/check/kubernetes.jest.config.cjs';
  return spec.startsWith('apps/platform-e2e/') ? 'apps/platform-e2e/jest.config.cjs' : 'jest.config.cjs';
}

function jest(words: readonly string[], { root, databaseUrl }: SpecRunOptions): Promise<{ inTime: boolean; output: string }> {
  // Ends when every test has: what a fault leaves open must not keep the run from ending.
  const flags = ['--runTestsByPath', '--maxWorkers=2', '--silent', '--forceExit', `--testTimeout=${testMsMax}`];
  const cache = [`--cacheDirectory=${join(root, '.jest-cache')}`];
  const env = { ...process.env, PAYCODE_TEST_DATABASE_URL: databaseUrl };
  const args = [...node, join(root, 'node_modules/jest/bin/jest.js'), ...words, ...flags, ...cache];
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

function testEnds(report: JestReport, root: string): TestEnd[] {
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

type Say = (text: string) => void;

/** Seeds one fault after the other in a copy of the checkout at `root`, and lets its specs judge it. */
export async function judgeFaults(root: string, faults: readonly SeededFault[], say: Say): Promise<Outcome[]> {
  if (faults.length === 0) return [];
  const copy = scratchCopy(root);
  const database = await databaseServer();
  say(`${faults.length} seeded faults, in ${copy}`);
  try {
    const options = { root: copy, databaseUrl: database.url };
    const runUnbroken = unbroken(options);
    const outcomes: Outcome[] = [];
    for (const [at, fault] of faults.entries()) {
      const outcome = outcomeOf(fault, await runUnbroken(fault.specs), await runWith(fault, options));
      outcomes.push(outcome);
      say(`[${at + 1}/${faults.length}] ${fault.id} ${outcome.result}: ${outcome.detail}`);
    }
    return outcomes;
  } finally {
    await database.stop();
    rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Compares the run with the fault with the run without: only a test that passed before can catch it. */
export function outcomeOf(fault: SeededFault, before: SpecRun, after: SpecRun): Outcome {
  const found = (result: Outcome['result'], detail: string): Outcome => ({ area: fault.area, fault: fault.id, result, detail });
  if (before === 'TIMED_OUT') return found('NOT_JUDGED', 'its specs do not end without the fault');
  const own = before.filter(({ spec }) => fault.specs.includes(spec));
  if (!own.some(({ isPassed }) => isPassed)) return found('NOT_JUDGED', 'its specs fail without the fault too');
  if (after === 'TIMED_OUT') return found('NOT_JUDGED', 'its specs did not end');
  const passedBefore = new Set(own.filter(({ isPassed }) => isPassed).map(nameOf));
  const failed = after.filter(end => !end.isPassed && passedBefore.has(nameOf(end)));
  const by = failed.find(({ message }) => !isEndedByClock(message));
  if (by) return found('CAUGHT', `${nameOf(by)}: ${by.message}`);
  if (failed.length > 0) return found('NOT_JUDGED', `only a time limit ended: ${failed.map(nameOf).join('; ')}`);
  const failedBefore = own.filter(({ isPassed }) => !isPassed).map(nameOf);
  if (failedBefore.length > 0) return found('NOT_JUDGED', `failed without the fault too: ${failedBefore.join('; ')}`);
  return found('SURVIVED', `${fault.breaks} (${fault.file})`);
}

const nameOf = ({ spec, test }: TestEnd): string => `${spec}: ${test}`;

async function runWith(fault: SeededFault, options: SpecRunOptions): Promise<SpecRun> {
  const takeOut = seedFault(options.root, fault);
  try {
    if (changesTemplates(fault)) await dropTemplates(options.databaseUrl);
    return await runSpecs(fault.specs, options);
  } finally {
    takeOut();
    if (changesTemplates(fault)) await dropTemplates(options.databaseUrl);
  }
}

/** Runs each spec file once without a fault, before the first fault that names it. */
function unbroken(options: SpecRunOptions): (specs: readonly string[]) => Promise<SpecRun> {
  const ran = new Map<string, SpecRun>();
  return async specs => {
    const missing = specs.filter(spec => !ran.has(spec));
    const run = missing.length > 0 ? await runSpecs(missing, options) : [];
    for (const spec of missing) ran.set(spec, run === 'TIMED_OUT' ? run : run.filter(end => end.spec === spec));
    const found = specs.map(spec => ran.get(spec)!);
    return found.includes('TIMED_OUT') ? 'TIMED_OUT' : (found as TestEnd[][]).flat();
  };
}

/** Whether the fault changes what a migration makes: specs clone a database that was migrated before. */
function changesTemplates({ file }: Pick<SeededFault, 'file'>): boolean {
  return /\/migrations\/|migration|outbox\.sql/.test(file);
}

/** Drops the migrated databases that specs clone; the next spec migrates again. */
async function dropTemplates(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I', datname) as name from pg_database where datname like 'template\\_%'`,
    );
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`);
  } finally {
    await client.end();
  }
}

/** One server for all faults: the caller's, or an embedded one that ends with this process. */
async function databaseServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const url = process.env['PAYCODE_TEST_DATABASE_URL'];
  if (url) return { url, stop: () => Promise.resolve() };
  const home = folderOfRun('db');
  const postgres = await startEmbeddedPostgres({ dataDir: join(home, 'postgres'), volatile: true, endsWithParent: true });
  return { url: postgres.url, stop: () => postgres.stop() };
}

/** A copy of every file that git knows or would take, with the packages of `root`: faults go there, never into the checkout. */
function scratchCopy(root: string): string {
  const copy = folderOfRun('copy');
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  // A listed file may be removed and not committed yet, or be a link to a folder.
  const files = new Set(listed.filter(file => file !== '' && statSync(join(root, file), { throwIfNoEntry: false })?.isFile()));
  for (const file of files) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  return copy;
}

/** A temporary folder that is removed with this process. The PostgreSQL of a root user runs as another user and must be able to enter it. */
function folderOfRun(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `paycode-mutation-${name}-`));
  chmodSync(folder, 0o755);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
