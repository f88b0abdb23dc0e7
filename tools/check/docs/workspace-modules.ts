import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from '../../run/build.ts';

const root = join(import.meta.dirname, '../../..');
const outdir = join(root, '.cache/docs');
const require = createRequire(import.meta.url);
let calls = 0;

/** Bundles source files of the workspace (path aliases included) and loads them: name to exports. */
export async function loadWorkspaceModules(files: Record<string, string>): Promise<Record<string, Record<string, unknown>>> {
  // A folder for each call: calls overlap, and one must not load what another is writing.
  const folder = join(outdir, String(++calls));
  mkdirSync(folder, { recursive: true });
  await build({ ...bundleOptions, sourcemap: false, entryPoints: files, outdir: folder });
  require('reflect-metadata');
  return Object.fromEntries(
    Object.keys(files).map(name => [name, require(join(folder, `${name}.cjs`)) as Record<string, unknown>]),
  );
}
