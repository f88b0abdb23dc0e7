/**
 * `npm run check`: every gate that needs no running service. Each step prints its time and, when it fails, what it found.
 * `npm run check -- lint types` runs the named steps only; `npm run check -- size --write` records what became smaller. With `--changed`, lint
 * reads only the projects that the changes since `main` can reach; the other steps are quick and always read everything.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededViolationProblems } from './architecture/check-seeded-violations.ts';
import { citedIdProblems, definedIds, doubleIds, pageProblems } from './gates/references.ts';
import { forbiddenText } from './gates/forbidden-text.ts';
import { CommandError, run } from './gates/run.ts';
import { kitSizeProblems, sizeProblems } from './gates/size.ts';
import { type LockedWorkspace, supplyChainProblems } from './gates/supply-chain.ts';
import { unreadSettings } from './gates/unread-settings.ts';
import { serviceSettings } from '../run/build/declarations.ts';
import { supplyChainPolicy } from '../run/images/supply-chain.policy.ts';
import { amendmentsReadAt } from '../../libs/dto/src/notification/currency.ts';
import { generatedPages, staleDocs, writeIgnored } from './generate-docs.ts';

const root = join(import.meta.dirname, '../..');
const atOnce = 2;
/** Holds what other files may not. */
const violations = 'tools/check/architecture/seeded-violations.ts';
const flags = new Set<string>(process.argv.filter(word => word === '--write' || word === '--changed'));

/** Throws, or returns the problems; the gate passes when there are none. */
type Gate = () => Promise<string[]>;

const gates: Record<string, Gate> = {
  format: () => command('prettier', ['--check', '--log-level', 'warn', '--cache', '--cache-location', '.cache/prettier', '.']),
  lint,
  boundaries: () =>
    command('depcruise', [
      'apps',
      'libs',
      'tools',
      'kits/paycode-dev',
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'err',
    ]),
  'seeded-violations': seededViolationProblems,
  types,
  text,
  pages,
  ids,
  settings,
  docs: staleDocs,
  size,
  unused: () => command('knip', ['--include', 'dependencies,files,unlisted']),
  'supply-chain': supplyChain,
};

async function command(name: string, args: string[]): Promise<string[]> {
  await run(name, args);
  return [];
}

/** The pages of the portal run in browsers: their types are others, and those of their calls are generated. */
async function types(): Promise<string[]> {
  await writeIgnored();
  for (const project of ['tsconfig.json', 'apps/portal-web/tsconfig.json'])
    await run('node', ['node_modules/ts7/bin/tsc', '-p', project]);
  return [];
}

async function lint(): Promise<string[]> {
  await writeIgnored();
  // Without the project graph the boundary rule skips itself and ESLint exits 0.
  await run('nx', ['show', 'projects'], { env: { NX_DAEMON: 'false', NX_TUI: 'false' } });
  const [program, ...args] = flags.has('--changed')
    ? ['nx', 'affected', '--target=lint', '--base=main', '--outputStyle=static']
    : ['eslint', '.', '--max-warnings', '0', '--cache', '--cache-location', '.cache/eslint/'];
  const { stdout, stderr } = await run(program!, args, { env: { NX_DAEMON: 'false', NX_TUI: 'false' } });
  return /rule will be skipped/i.test(stdout + stderr) ? ['the project boundary rule skipped itself: no project graph'] : [];
}

async function text(): Promise<string[]> {
  const texts = await textsWithGenerated();
  const checked = [...texts].filter(([file]) => !file.endsWith('/forbidden-text.ts') && file !== violations);
  return checked.flatMap(([file, content]) => forbiddenText(file, content).map(({ place, reason }) => `${place}: ${reason}`));
}

/** Links and paths of every page but the change log, which describes the state of each release. */
async function pages(): Promise<string[]> {
  const texts = await textsWithGenerated();
  const files = [...texts].filter(([file, text]) => file.endsWith('.md') && text !== '' && !file.startsWith('CHANGELOG'));
  const present = new Map([...texts].filter(([, text]) => text !== ''));
  return files.flatMap(([file]) => pageProblems(file, present).map(({ text }) => text));
}

/** With `--write` the smaller numbers are recorded. */
async function size(): Promise<string[]> {
  const texts = await projectTexts();
  return [...sizeProblems(texts, flags.has('--write')), ...kitSizeProblems(texts)];
}

/** Every setting that a service declares is read by its code. */
async function settings(): Promise<string[]> {
  return unreadSettings(await serviceSettings(), await projectTexts());
}

async function supplyChain(): Promise<string[]> {
  warnOfOldCurrencies();
  const [lock, manifest] = await Promise.all(['package-lock.json', 'package.json'].map(textOf));
  const workspace: LockedWorkspace = {
    lock: JSON.parse(lock!) as LockedWorkspace['lock'],
    manifest: JSON.parse(manifest!) as LockedWorkspace['manifest'],
  };
  return supplyChainProblems(workspace, supplyChainPolicy).map(({ rule, text }) => `package-lock.json: ${rule}: ${text}`);
}

/** SIX amends ISO 4217 one to three times a year (ADR 0116). A warning: no change of the code makes the table old. */
function warnOfOldCurrencies(): void {
  const yearMs = 365 * 86_400_000;
  if (Date.now() - Date.parse(amendmentsReadAt) < yearMs) return;
  const place = 'libs/dto/src/notification/currency.ts';
  console.log(
    `warn the amendments of ISO 4217 were read on ${amendmentsReadAt}: read the newer ones and bring ${place} up to date`,
  );
}

/**
 * Ids that code, tests and pages cite are defined once. The change log is not checked, because it describes the state of each
 * release.
 */
async function ids(): Promise<string[]> {
  const texts = await textsWithGenerated();
  const defined = definedIds(texts);
  const citing = [...texts].filter(
    ([file]) => /\.(ts|md|pml|json|yaml)$/.test(file) && !/^(CHANGELOG|package-lock)/.test(file) && file !== violations,
  );
  return [...doubleIds(defined), ...citing.flatMap(([file, content]) => citedIdProblems(file, content, defined))];
}

/** Every file git knows or would take, with its text. */
async function projectTexts(): Promise<Map<string, string>> {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  const files = [...new Set(stdout.split('\0'))].filter(file => file !== '');
  return new Map(await Promise.all(files.map(async (file): Promise<[string, string]> => [file, await textOf(file)])));
}

/** The project's files and those that are generated, also where nobody has generated them. */
async function textsWithGenerated(): Promise<Map<string, string>> {
  const [texts, generated] = await Promise.all([projectTexts(), generatedPages()]);
  return new Map([...texts, ...generated.map(({ path, text }): [string, string] => [path, text])]);
}

/** A file that is listed but removed (and not yet committed) has no text. */
async function textOf(file: string): Promise<string> {
  try {
    return await readFile(join(root, file), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Runs one gate; false when it fails. */
async function pass(name: string): Promise<boolean> {
  const startedAt = performance.now();
  const problems = await problemsOf(gates[name]!);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(17)} ${seconds} s`);
  for (const problem of problems) console.log(problem.replace(/^/gm, '     '));
  return problems.length === 0;
}

async function problemsOf(gate: Gate): Promise<string[]> {
  try {
    return await gate();
  } catch (error) {
    return [error instanceof CommandError ? error.message : String((error as Error).stack)];
  }
}

async function main(wanted: string[]): Promise<void> {
  const names = wanted.length > 0 ? wanted : Object.keys(gates);
  const unknown = names.filter(name => !Object.hasOwn(gates, name));
  if (unknown.length > 0) {
    console.error(`no such check: ${unknown.join(', ')}; there are ${Object.keys(gates).join(', ')}`);
    process.exitCode = 1;
    return;
  }
  const startedAt = performance.now();
  const waiting = [...names];
  const results: boolean[] = [];
  const lane = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) results.push(await pass(name));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const failed = results.filter(isPassed => !isPassed).length;
  console.log(
    `${results.length - failed} of ${results.length} checks passed in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}

await main(process.argv.slice(2).filter(word => !flags.has(word)));
