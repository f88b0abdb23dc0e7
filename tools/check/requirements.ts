/**
 * `npm run prove -- requirements [<reports of Jest, or folders of them>]`: which ids of docs/specification (requirements, decisions, threats,
 * invariants) the tests prove. Default: `.cache/reports`, where `npm test`, `test:e2e` and the others leave the report of their last whole
 * run.
 *
 * An id is shown by a test that names it in its title (or that of a `describe` around it), passed, and made at least one assertion. Spelled
 * out: neither a range nor a list to be completed names what it leaves out. A mention in a comment shows nothing.
 *
 * Listed as weak, without failing: an id shown by one test only, or only by tests of declared shapes and golden samples (libs/dto), or only by tests
 * that read files and run nothing (manifests, images, pages). Exit code 1 when an id is not shown.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from './gates/run.ts';
import { evidenceIn, readReports, type ReportFile, specifiedIds, type Verdict, verdictOn } from './requirements/shown-ids.ts';

const root = join(import.meta.dirname, '../..');
const testFiles = [
  '*.spec.ts',
  '*.conformance.ts',
  '*.compat.ts',
  '*.fault.ts',
  '*.manifest.ts',
  'apps/platform-e2e/src/kits/*.ts',
];

async function main(paths: readonly string[]): Promise<number> {
  const reports = readReports(paths.length > 0 ? paths : [join(root, '.cache/reports')]);
  for (const report of reports) console.log(describe(report));
  const evidence = evidenceIn(
    reports.map(({ report }) => report),
    root,
  );
  const texts = await textsOfTests();
  const citedIn = (id: string): string[] => texts.filter(([, ids]) => ids.has(id)).map(([file]) => file);
  return tell(specifiedIds(root).map(id => verdictOn(id, evidence.get(id) ?? [], citedIn(id))));
}

function describe({ file, report, ageHours }: ReportFile): string {
  const tests = report.testResults.reduce((sum, { assertionResults }) => sum + assertionResults.length, 0);
  return `${relative(root, file)}: ${tests} tests, ${ageHours.toFixed(1)} h old`;
}

/** Test files, each with what it mentions anywhere. */
async function textsOfTests(): Promise<[file: string, ids: Set<string>][]> {
  const { stdout } = await run('git', ['ls-files', ...testFiles]);
  const mentions = (file: string) => readFileSync(join(root, file), 'utf8').match(/\b(R-[\d.]+-\d+|A-\d+|T-\d+|P-I\d+)\b/g);
  return stdout
    .trim()
    .split('\n')
    .map(file => [file, new Set(mentions(file))]);
}

function tell(verdicts: readonly Verdict[]): number {
  const missing = verdicts.filter(({ isShown }) => !isShown);
  const weak = verdicts.filter(({ isShown, remark }) => isShown && remark !== undefined);
  for (const { id, remark } of weak) console.log(`weak     ${id}: ${remark}`);
  for (const { id, remark } of missing) console.log(`MISSING  ${id}: ${remark}`);
  const shown = verdicts.length - missing.length;
  console.log(
    `${shown} of ${verdicts.length} ids are shown by tests, ${weak.length} of them weakly; ${missing.length} are not shown.`,
  );
  return missing.length > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
