/** Services under test: the release bundles, each in its own process on its own database. */
import { type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { ended, startNode } from './child-processes.ts';
import { until } from './meters.ts';

export interface ServiceUnderTest {
  pid: number;
  internalUrl: string;
  publicUrl: string;
  /** The file of what it prints. */
  log: string;
  stop(): Promise<void>;
  /** At once, as a crash would. */
  kill(): Promise<void>;
}

export interface ServiceOptions {
  name: 'webhook-dispatcher' | 'reversal-scheduler' | 'payment-simulator';
  /** Where its log goes. */
  folder: string;
  port: number;
  env: Record<string, string>;
  nodeFlags?: string[];
}

const startTimeoutMs = 60_000;

/** Resolves when it accepts traffic; rejects with the end of its log when it fails to start. */
export async function startService({ name, folder, port, env, nodeFlags }: ServiceOptions): Promise<ServiceUnderTest> {
  const log = join(folder, `${name}.log`);
  const output = openSync(log, 'a');
  const main = join(process.cwd(), 'dist/apps', name, 'main.cjs');
  const publicPort = await freePort();
  const ports = { LISTEN_HOST: '127.0.0.1', INTERNAL_PORT: String(port), PUBLIC_PORT: String(publicPort) };
  const child = startNode(main, [], { env: { LOG_LEVEL: 'info', ...ports, ...env }, nodeFlags, output });
  closeSync(output);
  const [internalUrl, publicUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${publicPort}`];
  await untilReady(child, { name, log, isReady: () => answersWell(`${internalUrl}/health/ready`) });
  return { pid: child.pid!, internalUrl, publicUrl, log, stop: () => ended(child), kill: () => ended(child, 'SIGKILL') };
}

/** Rejects with the end of its log when it ends before, or is not ready in time. */
async function untilReady(
  child: ChildProcess,
  { name, log, isReady }: { name: string; log: string; isReady: () => Promise<boolean> },
): Promise<void> {
  const look = async () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
    return isReady();
  };
  await until(`${name} ready`, look, { withinMs: startTimeoutMs, everyMs: 50 }).catch((error: Error) => {
    throw new Error(`${error.message}\n${readFileSync(log, 'utf8').slice(-2_000)}`);
  });
}

function answersWell(url: string): Promise<boolean> {
  return fetch(url).then(
    response => response.ok,
    () => false,
  );
}
