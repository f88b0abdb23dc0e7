import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** File systems that a run has mounted: a killed one leaves them, and their folder cannot be removed before. Loaded by Node without a build step. */

/** Only Linux mounts any; it tells which. */
const table = '/proc/self/mountinfo';

/** Mount points below the folder, the deepest first. */
function mountsBelow(folder: string): string[] {
  if (!existsSync(table)) return [];
  // proc_pid_mountinfo(5): the fifth field, with blanks and the like in octal.
  const points = readFileSync(table, 'utf8')
    .split('\n')
    .map(line => unescaped(line.split(' ')[4] ?? ''));
  return points.filter(point => point.startsWith(`${folder}/`)).sort((left, right) => right.length - left.length);
}

/** Unmounts what is mounted below the folder. @throws Error of `umount` */
export function unmountBelow(folder: string): void {
  // Lazily: a log file of a server that has ended may still be open there.
  for (const point of mountsBelow(folder)) execFileSync('umount', ['--lazy', point], { stdio: 'pipe' });
}

function unescaped(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/**
 * Reads data about processes from /proc, or from `ps` where there is no /proc. Loaded by Node without a build step.
 */

const hasProc = existsSync('/proc/self/stat');

/** Content of a file of /proc; empty when the process is gone or is another user's. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function ps(...args: string[]): string {
  try {
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // No such process.
    return '';
  }
}

/** Start time of the process in the machine's units; it distinguishes processes with a reused number. */
export function startOf(pid: number): string | undefined {
  if (!hasProc) return ps('-o', 'lstart=', '-p', String(pid)).trim() || undefined;
  const stat = read(`/proc/${pid}/stat`);
  // The name in brackets may hold anything, so counting begins behind it: state is the first field, the start the twentieth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
}

/** The set of process numbers that this process sees; in another one (a container's) the same number is another process. */
export function processNamespace(): string {
  return hasProc ? linkOf('/proc/self/ns/pid') : 'one';
}

/** Changes with every start of the machine. */
export function bootId(): string {
  return hasProc ? read('/proc/sys/kernel/random/boot_id').trim() : ps('-o', 'lstart=', '-p', '1').trim();
}

/** Processes whose TMPDIR is the folder or below it: whatever a run has started, directly or not. Never this process. */
export function processesOf(folder: string): number[] {
  return allProcesses().filter(pid => pid !== process.pid && belongsTo(pid, folder));
}

function allProcesses(): number[] {
  const names = hasProc ? readdirSync('/proc') : ps('-axo', 'pid=').split('\n');
  return names.map(Number).filter(pid => Number.isInteger(pid) && pid > 0);
}

function belongsTo(pid: number, folder: string): boolean {
  if (!hasProc) return isTmpdirOf(ps('-wwEo', 'command=', '-p', String(pid)).split(' '), folder);
  if (isTmpdirOf(read(`/proc/${pid}/environ`).split('\0'), folder)) return true;
  // nginx writes its title over its environment; the master names its configuration there.
  const title = read(`/proc/${pid}/cmdline`);
  return title.startsWith('nginx: ') && title.includes(`${folder}/`);
}

function isTmpdirOf(environment: readonly string[], folder: string): boolean {
  return environment.some(entry => entry === `TMPDIR=${folder}` || entry.startsWith(`TMPDIR=${folder}/`));
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
