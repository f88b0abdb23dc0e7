/** The pages of the portal, built by Vite into its output folder; left as they are while nothing that makes them has changed. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { type PackageList, placesOf } from './package-bundle.ts';

const root = join(import.meta.dirname, '../../..');
const source = join(root, 'apps/portal-web');
/** The app that serves them. */
export const pagesApp = 'portal';
/** Says which packages are in them, beside them. */
export const pagePackages = 'pages.json';

/** Builds into `<folder>/web`. Loads Vite only when there is something to build. */
export async function buildPortalPages(folder: string): Promise<void> {
  const wanted = fingerprintOfSources();
  const file = join(folder, pagePackages);
  const outDir = join(folder, 'web');
  if (existsSync(join(outDir, 'index.html')) && fingerprintIn(file) === wanted) return;
  // An interrupted build starts again.
  rmSync(file, { force: true });
  const { build } = await import('vite');
  const built = await build({ configFile: join(source, 'vite.config.ts'), logLevel: 'error', build: { outDir } });
  if (!('output' in built)) throw new Error(`${source}: Vite wrote more than one output`);
  for (const { fileName } of built.output)
    writeFileSync(join(outDir, `${fileName}.br`), brotliCompressSync(readFileSync(join(outDir, fileName))));
  const modules = built.output.flatMap(part => (part.type === 'chunk' ? part.moduleIds : []));
  const list: PackageList = { fingerprint: wanted, places: placesOf(modules.map(id => relative(root, id))) };
  writeFileSync(file, JSON.stringify(list));
}

function fingerprintIn(file: string): string | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PackageList).fingerprint : undefined;
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
