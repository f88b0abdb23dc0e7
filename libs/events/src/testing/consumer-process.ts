import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import type { TransportHarness } from './transport-harness';

const root = join(__dirname, '../../../..');
const bundle = join(root, `.cache/conformance/consumer-${process.pid}.cjs`);
let built: Promise<unknown> | undefined;

export interface ConsumerProcess {
  /** Ids of the events its handler was given. The handler never ends, so none of them is committed. */
  received(): string[];
  /** SIGKILL: no goodbye to the group. */
  kill(): Promise<void>;
}

export interface ConsumerProcessOptions {
  topic: string;
  group: string;
}

/** A member of the group in a process of its own, for tests that kill it. */
export async function spawnConsumer(harness: TransportHarness, options: ConsumerProcessOptions): Promise<ConsumerProcess> {
  await (built ??= buildConsumer());
  const settings = JSON.stringify({ env: harness.env, topics: harness.definitions, ...options });
  const child = spawn(process.execPath, [bundle], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CONSUMER: settings },
  });
  const ids: string[] = [];
  createInterface({ input: child.stdout }).on('line', line => ids.push(line));
  return { received: () => [...ids], kill: () => killed(child) };
}

function buildConsumer(): Promise<unknown> {
  mkdirSync(join(bundle, '..'), { recursive: true });
  return build({
    entryPoints: [join(__dirname, 'consumer.main.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    tsconfig: join(root, 'tsconfig.base.json'),
    logLevel: 'warning',
  });
}

function killed(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
