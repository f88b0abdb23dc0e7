import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../libs/persistence/src/embedded/embedded-postgres.ts';
import { isEndedByClock, type Outcome } from './report.ts';
import { runSpecs, type SpecRun, type SpecRunOptions, type TestEnd } from './run-specs.ts';
import { seedFault, type SeededFault } from './seeded-faults.ts';

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
export function changesTemplates({ file }: Pick<SeededFault, 'file'>): boolean {
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
  for (const file of new Set(execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0'))) {
    // A listed file may be removed and not committed yet, or be a link to a folder.
    if (file === '' || !statSync(join(root, file), { throwIfNoEntry: false })?.isFile()) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
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
