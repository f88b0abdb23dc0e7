/** A dispatcher beside that of a standalone platform, with its settings, and without a supervisor. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PlatformConnection } from '../../../libs/platform-client/src/platform-connection.ts';

const service = 'webhook-dispatcher';
const patienceMs = 120_000;
const pollMs = 100;
const root = join(import.meta.dirname, '../../..');

export class SecondDispatcher {
  /** From where its requests come. */
  readonly address = '127.0.0.2';

  private readonly child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.child = child;
  }

  /** Resolves when both have shards. */
  static async start(home: string): Promise<SecondDispatcher> {
    const platform = new PlatformConnection(home);
    const { processes } = platform.standalone;
    const [internal, external] = [await freePort(), await freePort()];
    const own = {
      INSTANCE_ID: 'second dispatcher',
      INTERNAL_PORT: String(internal),
      PUBLIC_PORT: String(external),
      OUTBOUND_SOURCE_ADDRESSES: '127.0.0.2',
    };
    const env = { ...environmentOf(processes[service]!), ...own };
    const preload = ['--require', join(import.meta.dirname, 'end-with-parent.cjs')];
    const main = join(root, 'dist/apps', service, 'main.cjs');
    const child = spawn(process.execPath, [...preload, main], { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const second = new SecondDispatcher(child);
    const giveUpAt = performance.now() + patienceMs;
    while ((await owners(platform)) < 2) {
      if (child.exitCode !== null || performance.now() > giveUpAt) throw new Error('the second dispatcher has no shards');
      await pause(pollMs);
    }
    return second;
  }

  async kill(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

/** Of a running process. */
function environmentOf(pid: number): Record<string, string> {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(pairs.map(pair => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

/** Replicas that have shards. */
async function owners(platform: PlatformConnection): Promise<number> {
  const { body } = await platform.operator(service, { method: 'GET', path: '/internal/shards' });
  return (body as { replicas: { shards: number }[] }).replicas.filter(({ shards }) => shards > 0).length;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
