/** Processor time by thread and by process in nanoseconds, as the scheduler counts it (/proc/<pid>/schedstat); Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds so far of a process's threads: its first one, V8's for compiling and collecting, libuv's, those of the inspector. */
export interface ThreadsUse {
  main: number;
  compiler: number;
  files: number;
  inspector: number;
}

const inspectors = /^(SignalInspector|InspectorIo|v8:ProfEvnt)/;

export function threadsUseOf(pid: number): ThreadsUse {
  const use: ThreadsUse = { main: 0, compiler: 0, files: 0, inspector: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) use[kindOf(pid, thread)] += usOf(`/proc/${pid}/task/${thread}`);
  return use;
}

/** Microseconds of each child of a process, by process id. */
export function childrenUseOf(pid: number): Map<number, number> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return new Map(children.map(child => [Number(child), usOf(`/proc/${child}`)]));
}

function kindOf(pid: number, thread: string): keyof ThreadsUse {
  if (Number(thread) === pid) return 'main';
  const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8');
  if (inspectors.test(name)) return 'inspector';
  return name.startsWith('libuv-worker') ? 'files' : 'compiler';
}

/** 0 for what has ended meanwhile. */
function usOf(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  } catch {
    return 0;
  }
}
