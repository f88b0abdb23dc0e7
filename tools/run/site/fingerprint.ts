import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pagesOf } from './pages.ts';

/** Files that pages lead to, and what builds them. */
const brought = ['docs/images', 'docs/reference', 'kits/vectors', 'libs/dto/contracts', 'libs/dto/samples', 'tools/run/site'];
/** The build makes pages from these: settings, events, errors, calls of services. */
const sources = ['apps/*/src/config/env.ts', 'apps/*/src/**/*.controller.ts', 'libs/dto/src/**/*.ts', 'tools/check/docs/**/*.ts'];

/** Changes with every page, with what the pages lead to, and with how they are built. */
export function siteFingerprint(root: string): string {
  const hash = createHash('sha256');
  for (const { file, text } of pagesOf(root)) hash.update(`${file}\0${text}\0`);
  const folders = brought.flatMap(folder => filesIn(root, folder));
  const made = globSync(sources, { cwd: root }).sort();
  for (const file of ['package-lock.json', 'tools/run/site.ts', ...folders, ...made])
    hash.update(file).update(readFileSync(join(root, file)));
  hash.update(kitsFingerprint(root));
  return hash.digest('hex');
}

/** Changes with every file of the kits that git knows or would know. */
export function kitsFingerprint(root: string): string {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'kits', 'LICENSE'];
  const listed = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  // Without git, as in an image: all files of the kits.
  const files =
    listed.status === 0
      ? listed.stdout.split('\0').filter(file => file !== '' && existsSync(join(root, file)))
      : filesIn(root, 'kits');
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
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

/** No build takes as long on the slowest machine. A process that has the number of a dead builder does not stop builds for ever. */
const staleAfterMs = 15 * 60_000;

/** One build of the site at a time: several platforms may start from one folder. Gives the way to end it; undefined while another process builds. */
export function lockBuild(file: string): (() => void) | undefined {
  mkdirSync(dirname(file), { recursive: true });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (isHeld(file)) return undefined;
      rmSync(file, { force: true });
    }
  }
  return undefined;
}

function isHeld(file: string): boolean {
  try {
    if (performance.timeOrigin + performance.now() - statSync(file).mtimeMs > staleAfterMs) return false;
    return process.kill(Number(readFileSync(file, 'utf8')), 0);
  } catch {
    // The file or its process is gone.
    return false;
  }
}
