import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withProgram } from './language-page.ts';
import { pagesOf } from './pages.ts';

/** Files that pages lead to, and what builds them. */
const brought = ['docs/images', 'docs/reference', 'kits/vectors', 'libs/dto/contracts', 'libs/dto/samples', 'tools/run/site'];
/** The build makes pages from these: settings, events, errors, calls of services. */
const sources = ['apps/*/src/config/env.ts', 'apps/*/src/**/*.controller.ts', 'libs/dto/src/**/*.ts', 'tools/check/docs/**/*.ts'];

/** Changes with every page, with what the pages lead to, and with how they are built. */
export function siteFingerprint(root: string): string {
  const hash = createHash('sha256');
  for (const { file, text } of pagesOf(root).map(page => withProgram(root, page))) hash.update(`${file}\0${text}\0`);
  const folders = brought.flatMap(folder => filesIn(root, folder));
  const made = globSync(sources, { cwd: root }).sort();
  for (const file of ['package-lock.json', 'tools/run/site.ts', ...folders, ...made])
    hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/** Whether the built site is of these sources. */
export function isSiteUpToDate(root: string): boolean {
  const file = join(root, 'dist/site/source');
  return existsSync(file) && readFileSync(file, 'utf8') === siteFingerprint(root);
}

function filesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
