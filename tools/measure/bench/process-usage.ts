/** Processor time and memory of a process, as the system counts them (proc(5)); Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** User and system time so far, in microseconds, at a resolution of 10 ms; NaN where the system does not tell. */
export function cpuUsOf(pid: number): number {
  const fields = statusFieldsOf(String(pid));
  return fields ? ticksToUs(Number(fields[11]) + Number(fields[12])) : NaN;
}

/** CPU time of a process, of its children and of those that have ended, in microseconds; Linux only. */
export function cpuUsOfTree(pid: number): number {
  const processes = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  const children = processes.filter(child => statusFieldsOf(child)?.[1] === String(pid));
  const own = statusFieldsOf(String(pid));
  const ended = own ? ticksToUs(Number(own[13]) + Number(own[14])) : NaN;
  return children.reduce((sum, child) => sum + (cpuUsOf(Number(child)) || 0), cpuUsOf(pid) + ended);
}

/** Resident memory in bytes; NaN where the system does not tell. */
export function residentBytesOf(pid: number): number {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kibibytes) * 1_024;
  } catch {
    return NaN;
  }
}

/** Fields of /proc/<pid>/stat from the state on: the name before it may hold anything. */
function statusFieldsOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
  } catch {
    return undefined;
  }
}

const ticksToUs = (ticks: number) => (ticks * 1_000_000) / ticksPerSecond;
