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
import { join } from 'node:path';
import { evidenceIn, problemOf, readReports, specifiedIds } from './requirements/shown-ids.ts';

const root = join(import.meta.dirname, '../..');
function main(paths: readonly string[]): number {
  const evidence = evidenceIn(readReports(paths.length > 0 ? paths : [join(root, '.cache/reports')]), root);
  const verdicts = specifiedIds(root).map(id => ({ id, problem: problemOf(evidence.get(id) ?? []) }));
  const missing = verdicts.filter(({ problem }) => problem !== undefined);
  for (const { id, problem } of missing) console.log(`MISSING  ${id}: ${problem}`);
  console.log(
    `${verdicts.length - missing.length} of ${verdicts.length} ids are shown by tests; ${missing.length} are not shown.`,
  );
  return missing.length > 0 ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));
