/**
 * `npm run requirements`: which ids of docs/specification (requirements, decisions, threats, invariants) the tests cite, and which
 * nobody does. A report for people; a missing citation is not a failure.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './check/run.ts';

const root = join(import.meta.dirname, '..');
const invariants = 14;

function specifiedIds(): string[] {
  const pages = ['requirements', 'decisions', 'threats'].map(page =>
    readFileSync(join(root, 'docs/specification', `${page}.md`), 'utf8'),
  );
  const listed = pages.flatMap(page => [...page.matchAll(/^(?:- |\| )(R-[\d.]+-\d+|A-\d+|T-\d+)\b/gm)].map(([, id]) => id!));
  return [...listed, ...Array.from({ length: invariants }, (_, index) => `I${index + 1}`)];
}

async function testFiles(): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '*.spec.ts', '*.conformance.ts', '*.compat.ts']);
  return stdout.trim().split('\n');
}

const texts = (await testFiles()).map(file => readFileSync(join(root, file), 'utf8')).join('\n');
const cited = new Set(texts.match(/\b(R-[\d.]+-\d+|A-\d+|T-\d+|I\d+)\b/g));
const ids = specifiedIds();
const missing = ids.filter(id => !cited.has(id));
console.log(`${ids.length - missing.length} of ${ids.length} ids are cited by tests. Not cited:\n${missing.join(' ')}`);
