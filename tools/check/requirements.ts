/**
 * `npm run prove -- requirements [<reports of Jest, or folders of them>]`: which ids of docs/specification (requirements, decisions, threats,
 * invariants) the tests prove. Default: `.cache/reports`, where `npm test`, `test:e2e` and the others leave the report of their last whole
 * run.
 *
 * An id is shown by a test that names it in its title (or that of a `describe` around it), passed, and made at least one assertion. Spelled
 * out: neither a range nor a list to be completed names what it leaves out. A mention in a comment shows nothing.
 *
 * Exit code 1 when an id is not shown.
 */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { definedIds } from './gates/references.ts';

const root = join(import.meta.dirname, '../..');

/** Every id that a test has to prove. Fault cases and steps of the protocol have suites of their own. */
function specifiedIds(): string[] {
  const pages = globSync('docs/specification/*.md', { cwd: root });
  const texts = new Map(pages.map(page => [page, readFileSync(join(root, page), 'utf8')]));
  return [...definedIds(texts).keys()].filter(id => /^([RAT]-|P-I\d+$)/.test(id));
}

/**
 * Ids that a text spells out. It ignores the ends of a range (`P-I1-P-I13`, `R-2.1-1..5`), because the ids between are not named, and
 * shortened entries of a list (`R-2.1-1, 2` names R-2.1-1 only).
 */
export function idsIn(text: string): string[] {
  return text.match(/(?<![\w.-])(R-[\d.]+-\d+|A-\d+|T-\d+|P-I\d+)(?![\w-]|\.\.|\.\d| to )/g) ?? [];
}

/** The parts of one test in a report of Jest (`--json`) that this file reads. */
interface ReportedTest {
  fullName: string;
  status: string;
  /** Assertions that held. */
  numPassingAsserts?: number;
}

interface Report {
  testResults: { name: string; assertionResults: ReportedTest[] }[];
}

/** Why no test of these reports proves an id; undefined when one does. */
export function problemOf(id: string, reports: readonly Report[]): string | undefined {
  const naming = reports.flatMap(({ testResults }) =>
    testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ fullName }) => idsIn(fullName).includes(id))
        .map(test => ({ file: relative(root, name), outcome: outcomeOf(test) })),
    ),
  );
  if (naming.some(({ outcome }) => outcome === 'shown')) return undefined;
  return naming.map(({ file, outcome }) => `${outcome}: ${file}`).join('; ') || 'in the name of no test that ran';
}

function outcomeOf({ status, numPassingAsserts = 0 }: ReportedTest): string {
  if (status === 'failed') return 'failed';
  if (status !== 'passed') return 'not run';
  return numPassingAsserts > 0 ? 'shown' : 'without an assertion';
}

/** Reports of Jest in these files and folders. @throws Error when there is no report, or a file is not a report */
function readReports(paths: readonly string[]): Report[] {
  const files = paths
    .filter(existsSync)
    .flatMap(path => (statSync(path).isDirectory() ? globSync(join(path, '*.json')) : [path]));
  if (files.length === 0)
    throw new Error(`no report of a test run in ${paths.join(', ')}: run npm test and the other test commands first`);
  return files.map(readReport);
}

function readReport(file: string): Report {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  if (!Array.isArray(report.testResults)) throw new Error(`${file} is not a report of Jest: it has no testResults`);
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tests.some(({ status }) => status === 'passed') && tests.every(({ numPassingAsserts }) => numPassingAsserts === undefined))
    throw new Error(`${file} does not say how many assertions held (numPassingAsserts)`);
  return report;
}

function main(paths: readonly string[]): number {
  const reports = readReports(paths.length > 0 ? paths : [join(root, '.cache/reports')]);
  const verdicts = specifiedIds().map(id => ({ id, problem: problemOf(id, reports) }));
  const missing = verdicts.filter(({ problem }) => problem !== undefined);
  for (const { id, problem } of missing) console.log(`MISSING  ${id}: ${problem}`);
  console.log(
    `${verdicts.length - missing.length} of ${verdicts.length} ids are shown by tests; ${missing.length} are not shown.`,
  );
  return missing.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = main(process.argv.slice(2));
