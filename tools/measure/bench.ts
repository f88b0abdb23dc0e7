/** `npm run bench -- <name>`: builds a benchmark and the services under test, and runs it (docs/explanation/performance.md). */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { buildApps } from '../run/build.ts';
import { bundleOptions } from '../run/build/bundle-options.ts';

const root = join(import.meta.dirname, '../..');
const sources = join(import.meta.dirname, 'bench');
const outdir = join(root, 'dist/tools/bench');

interface Benchmark {
  /** Its services. */
  apps: string[];
  help: string;
}

const quick = '  --quick            shorter runs, for a first look';
const benchmarks: Record<string, Benchmark> = {
  deliver: {
    apps: ['webhook-dispatcher', 'reversal-scheduler'],
    help: `webhooks per second through the whole path, beside a bare loop\n${quick}`,
  },
  calls: {
    apps: ['payment-simulator', 'webhook-dispatcher', 'reversal-scheduler'],
    help: `payments that a core completes one per call, beside a hundred per call
${quick}
  --ceilings         counts the work per payment; exits with 1 when it exceeds a ceiling`,
  },
  isolation: {
    apps: ['webhook-dispatcher', 'reversal-scheduler'],
    help: `how merchants that do not answer affect healthy ones\n${quick}`,
  },
  auth: { apps: ['auth-session'], help: `times of answers of auth-session that must look alike\n${quick}` },
};

/** The benchmarks use libraries, so they are bundled as services are. The exit code is the benchmark's. */
async function runBenchmark(name: string, apps: readonly string[], words: readonly string[]): Promise<void> {
  await buildApps(apps);
  const suffix = '.main.ts';
  const mains = readdirSync(sources).filter(file => file.endsWith(suffix));
  const entryPoints = Object.fromEntries(mains.map(file => [basename(file, suffix), join(sources, file)]));
  await build({ ...bundleOptions, entryPoints, outdir });
  const child = spawn(process.execPath, ['--enable-source-maps', join(outdir, `${name}.cjs`), ...words], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  child.once('exit', code => (process.exitCode = code ?? 1));
}

const [name = '', ...words] = process.argv.slice(2);
const { apps, help } = benchmarks[name]!;
const usage = `npm run bench -- ${name} [options]: ${help}`;
const unknown = words.find(word => word.startsWith('-') && word !== '--' && !help.includes(word.split('=')[0]!));
if (words.includes('--help') || words.includes('-h')) process.stdout.write(`${usage}\n`);
else if (unknown === undefined) await runBenchmark(name, apps, words);
else {
  process.stderr.write(`unknown option ${unknown}\n\n${usage}\n`);
  process.exitCode = 1;
}
