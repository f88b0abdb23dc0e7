/**
 * `npm run bench -- <name>`: builds a benchmark and the services under test, and runs it (docs/explanation/performance.md).
 *   --quick      shorter runs, for a first look
 *   --ceilings   of `calls` alone: counts the work per payment; exits with 1 when it exceeds a ceiling
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { buildApps } from '../run/build.ts';
import { bundleOptions } from '../run/build/bundle-options.ts';

const root = join(import.meta.dirname, '../..');
const sources = join(import.meta.dirname, 'bench');
const outdir = join(root, 'dist/tools/bench');

/** The services of each benchmark. */
const appsOf: Record<string, string[]> = {
  deliver: ['webhook-dispatcher', 'reversal-scheduler'],
  calls: ['payment-simulator', 'webhook-dispatcher', 'reversal-scheduler'],
  isolation: ['webhook-dispatcher', 'reversal-scheduler'],
  auth: ['auth-session'],
  cells: ['webhook-dispatcher', 'reversal-scheduler', 'notification-config'],
};

// The benchmarks use libraries, so they are bundled as services are. The exit code is the benchmark's.
const [name = '', ...words] = process.argv.slice(2);
await buildApps(appsOf[name]!);
const mains = readdirSync(sources).filter(file => file.endsWith('.main.ts'));
const entryPoints = Object.fromEntries(mains.map(file => [basename(file, '.main.ts'), join(sources, file)]));
await build({ ...bundleOptions, entryPoints, outdir });
const args = ['--enable-source-maps', join(outdir, `${name}.cjs`), ...words];
const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.once('exit', code => (process.exitCode = code ?? 1));
