import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Data about processes, from /proc. Where there is none, as on macOS, a killed run leaves what it started. Loaded by Node without a build step. */

/** Content of a file of /proc; empty when the process is gone or is another user's. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Start time of the process in the machine's units; it distinguishes processes with a reused number. */
export function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in brackets may hold anything, so counting begins behind it: state is the first field, the start the twentieth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
}

/** The start of the machine, and the set of process numbers that this process sees: in another one (a container's) the same number is another process. */
export function machineNow(): { boot: string; namespace: string } {
  const namespace = existsSync('/proc/self/ns/pid') ? readlinkSync('/proc/self/ns/pid') : '';
  return { boot: read('/proc/sys/kernel/random/boot_id').trim(), namespace };
}

/** Processes whose TMPDIR is the folder or below it: whatever a run has started, directly or not. Never this process. */
export function processesOf(folder: string): number[] {
  return allProcesses().filter(pid => pid !== process.pid && belongsTo(pid, folder));
}

function allProcesses(): number[] {
  return entriesOf('/proc')
    .map(Number)
    .filter(pid => pid > 0);
}

function belongsTo(pid: number, folder: string): boolean {
  const environment = read(`/proc/${pid}/environ`).split('\0');
  if (environment.some(entry => entry === `TMPDIR=${folder}` || entry.startsWith(`TMPDIR=${folder}/`))) return true;
  // nginx writes its title over its environment; the master names its configuration there.
  const title = read(`/proc/${pid}/cmdline`);
  return title.startsWith('nginx: ') && title.includes(`${folder}/`);
}

/** Processes that a process started, and what they use, as the system counts it (proc(5)); Linux only. */

interface Descendant {
  pid: number;
  /** Name of the service, or of the program. */
  name: string;
}

/** All generations; what ends meanwhile is left out. */
export function descendantsOf(pid: number): Descendant[] {
  return childrenOf(pid).flatMap(child => {
    const name = nameOf(child);
    return name === undefined ? [] : [{ pid: child, name }, ...descendantsOf(child)];
  });
}

/** Bytes by name: a page that several processes share counts in parts (PSS). */
export function memoryOf(pid: number): Map<string, number> {
  const memory = new Map<string, number>();
  for (const { pid: each, name } of descendantsOf(pid)) {
    const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${each}/smaps_rollup`))?.[1] ?? '0';
    memory.set(name, (memory.get(name) ?? 0) + Number(kibibytes) * 1_024);
  }
  return memory;
}

/** Processor time of all its threads so far. */
export function usedSecondsOf(pid: number): number {
  const nanoseconds = entriesOf(`/proc/${pid}/task`).map(thread =>
    Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9;
}

function childrenOf(pid: number): number[] {
  const lists = entriesOf(`/proc/${pid}/task`).map(thread => read(`/proc/${pid}/task/${thread}/children`));
  return lists.flatMap(list => list.trim().split(' ').filter(Boolean).map(Number));
}

function nameOf(pid: number): string | undefined {
  const command = read(`/proc/${pid}/cmdline`).split('\0').join(' ');
  if (command === '') return undefined;
  const service = /dist\/apps\/(?!standalone)([a-z-]+)\/main\.cjs/.exec(command)?.[1];
  return service ?? (command.startsWith('postgres') || command.includes('/bin/postgres') ? 'PostgreSQL' : 'npm start');
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Programs that are not installed; each with the words that make it end well. */
export function missingPrograms(programs: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.keys(programs).filter(program => spawnSync(program, programs[program]).status !== 0);
}
