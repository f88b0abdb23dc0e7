/** The pages of the portal, built by Vite into its output folder; left as they are while nothing that makes them has changed. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const source = join(root, 'apps/portal-web');
/** The app that serves them. */
export const pagesApp = 'portal';
const fingerprintName = 'pages.fingerprint';

/** Builds into `<folder>/web`. Loads Vite only when there is something to build. */
export async function buildPortalPages(folder: string): Promise<void> {
  const wanted = fingerprintOfSources();
  const file = join(folder, fingerprintName);
  const outDir = join(folder, 'web');
  if (existsSync(join(outDir, 'index.html')) && existsSync(file) && readFileSync(file, 'utf8') === wanted) return;
  const { build } = await import('vite');
  await build({ configFile: join(source, 'vite.config.ts'), logLevel: 'error', build: { outDir } });
  writeFileSync(file, wanted);
}

/** By content: a fresh clone with a kept output folder builds nothing. */
function fingerprintOfSources(): string {
  const hash = createHash('sha256');
  const files = ['index.html', 'vite.config.ts', ...filesIn('src'), ...filesIn('public')].map(name => join(source, name));
  for (const file of [join(root, 'package-lock.json'), import.meta.filename, ...files])
    hash.update(relative(root, file)).update(readFileSync(file));
  return hash.digest('hex');
}

function filesIn(folder: string): string[] {
  return readdirSync(join(source, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !/\.spec\.tsx?$/.test(entry.name))
    .map(entry => relative(source, join(entry.parentPath, entry.name)))
    .sort();
}
