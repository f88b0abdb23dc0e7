/** Processes that a process started, and what they use, as the system counts it (proc(5)); Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Descendant {
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
    const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(textOf(`/proc/${each}/smaps_rollup`))?.[1] ?? '0';
    memory.set(name, (memory.get(name) ?? 0) + Number(kibibytes) * 1_024);
  }
  return memory;
}

/** Processor time of all its threads so far. */
export function usedSecondsOf(pid: number): number {
  const nanoseconds = entriesOf(`/proc/${pid}/task`).map(thread =>
    Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9;
}

function childrenOf(pid: number): number[] {
  const lists = entriesOf(`/proc/${pid}/task`).map(thread => textOf(`/proc/${pid}/task/${thread}/children`));
  return lists.flatMap(list => list.trim().split(' ').filter(Boolean).map(Number));
}

function nameOf(pid: number): string | undefined {
  const command = textOf(`/proc/${pid}/cmdline`).split('\0').join(' ');
  if (command === '') return undefined;
  const service = /dist\/apps\/(?!standalone)([a-z-]+)\/main\.cjs/.exec(command)?.[1];
  return service ?? (command.startsWith('postgres') || command.includes('/bin/postgres') ? 'PostgreSQL' : 'npm start');
}

/** Empty for what has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
