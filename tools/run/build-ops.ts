/** Bundles the operators' commands for the ops image into dist/apps/ops, like an app (build.ts). Usage: node tools/run/build-ops.ts. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from './build/bundle-options.ts';
import { bundlePackages, fromPackageBundle } from './build/package-bundle.ts';

const root = join(import.meta.dirname, '../..');
const outdir = join(root, 'dist/apps/ops');
const commands = { paycode: 'paycode-in-cluster', redrive: 'redrive', audit: 'audit' };

const imported = new Set<string>();
await build({
  ...bundleOptions,
  plugins: [...(bundleOptions.plugins ?? []), fromPackageBundle(imported)],
  entryPoints: Object.fromEntries(
    Object.entries(commands).map(([name, file]) => [name, join(root, 'apps/operations/src', `${file}.ts`)]),
  ),
  outdir,
});
await bundlePackages(new Map([[outdir, imported]]));
