import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from './bundle-options.ts';

const root = join(import.meta.dirname, '../../..');
/** Inside the workspace, so that packages resolve. */
const outdir = join(root, '.cache/modules');
const require = createRequire(import.meta.url);

/** Bundles source files of the workspace (path aliases included) and loads them: name to exports. `tree`: another copy of the workspace. */
export async function loadWorkspaceModules(
  files: Record<string, string>,
  tree = root,
): Promise<Record<string, Record<string, unknown>>> {
  mkdirSync(outdir, { recursive: true });
  // A folder for each call: calls overlap, and one must not load what another is writing.
  const folder = mkdtempSync(join(outdir, 'of-'));
  try {
    const place = { absWorkingDir: tree, tsconfig: join(tree, 'tsconfig.base.json'), outdir: folder };
    await build({ ...bundleOptions, ...place, sourcemap: false, entryPoints: files });
    require('reflect-metadata');
    return Object.fromEntries(
      Object.keys(files).map(name => [name, require(join(folder, `${name}.cjs`)) as Record<string, unknown>]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
