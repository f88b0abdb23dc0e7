/**
 * One temporary folder per test run, which everything the run starts or writes is below (it is the TMPDIR of all its processes). It is
 * marked with its owner, so that the next run can remove the databases, brokers, services and files of a killed run. It never
 * touches a live run. Loaded by Node without a build step.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { machineNow, processesOf, startOf } from './processes.ts';

const prefix = 'paycode-run-';
const mark = 'owner.json';
/** A run marks its folder at once, so an unmarked folder of this age has no owner. */
const unmarkedMs = 3_600_000;
/** SIGINT ends PostgreSQL, Kafka and the services cleanly and fast; processes that remain after this time are killed. */
const mannersMs = 5_000;

interface Owner {
  pid: number;
  /** As the machine tells it: process numbers are given anew. */
  start: string | undefined;
  boot: string;
  namespace: string;
}

/** Makes the folder of this run. Others may pass through: under root, PostgreSQL runs as another user. */
export function openRunFolder(base = tmpdir()): string {
  const folder = mkdtempSync(join(realpathSync(base), prefix));
  const owner: Owner = { pid: process.pid, start: startOf(process.pid), ...machineNow() };
  writeFileSync(join(folder, mark), JSON.stringify(owner));
  chmodSync(folder, 0o755);
  return folder;
}

/** Ends what still runs for the folder, unmounts what is mounted below it, and removes it. Gives the number of processes that were ended. */
export async function closeRunFolder(folder: string): Promise<number> {
  const found = await endProcesses(folder);
  // A killed fault case leaves its small disk mounted. Lazily: a log file of a server that has ended may still be open there.
  for (const disk of globSync(join(folder, 'paycode-disk-*'))) spawnSync('umount', ['--lazy', disk]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return found;
}

/** Clears away the folders of runs that were killed, with what still runs for them. */
export async function sweepDeadRuns(base = tmpdir()) {
  const real = realpathSync(base);
  const folders = readdirSync(real)
    .filter(name => name.startsWith(prefix))
    .map(name => join(real, name))
    .filter(isAbandoned);
  let processes = 0;
  for (const folder of folders) processes += await closeRunFolder(folder);
  return { folders, processes };
}

/** False in doubt: a folder of another user or container, or one that is just being made. */
function isAbandoned(folder: string): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat?.isDirectory() || (process.getuid && stat.uid !== process.getuid())) return false;
  const owner = ownerOf(folder);
  if (!owner) return Date.now() - stat.mtimeMs > unmarkedMs;
  const { boot, namespace } = machineNow();
  return owner.namespace === namespace && (owner.boot !== boot || startOf(owner.pid) !== owner.start);
}

function ownerOf(folder: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, mark), 'utf8')) as Owner;
  } catch {
    // Not marked (yet), or only half: the folder's age decides.
    return undefined;
  }
}

async function endProcesses(folder: string): Promise<number> {
  const first = processesOf(folder);
  signal(first, 'SIGINT');
  const giveUpAt = performance.now() + mannersMs;
  for (;;) {
    const left = processesOf(folder);
    if (left.length === 0) return first.length;
    if (performance.now() > giveUpAt) signal(left, 'SIGKILL');
    if (performance.now() > giveUpAt + mannersMs) throw new Error(`processes ${left.join(', ')} of ${folder} do not end`);
    await pause(50);
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // Ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
