/**
 * Reads data about processes from /proc, or from `ps` where there is no /proc. Loaded by Node without a build step.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

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
