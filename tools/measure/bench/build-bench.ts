/** Bundles a benchmark with its processes (they use the libraries) into dist/tools/bench, and runs it. */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { buildApps } from '../../run/build.ts';
import { bundleOptions } from '../../run/build/bundle-options.ts';

const root = join(import.meta.dirname, '../../..');
const outdir = join(root, 'dist/tools/bench');

/** Builds the apps under test too. The exit code is the benchmark's. */
export async function runBench(name: string, apps: readonly string[]): Promise<void> {
  await buildApps(apps);
  const suffix = '.main.ts';
  const mains = readdirSync(import.meta.dirname).filter(file => file.endsWith(suffix));
  const entryPoints = Object.fromEntries(mains.map(file => [basename(file, suffix), join(import.meta.dirname, file)]));
  await build({ ...bundleOptions, entryPoints, outdir });
  const child = spawn(process.execPath, ['--enable-source-maps', join(outdir, `${name}.cjs`), ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.once('exit', code => (process.exitCode = code ?? 1));
}
