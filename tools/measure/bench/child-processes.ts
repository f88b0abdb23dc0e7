/** Child processes of a benchmark, which end with it in every case. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface ChildOptions {
  env?: Record<string, string>;
  /** Flags of Node itself. */
  nodeFlags?: string[];
  /** Default: standard output is a pipe to this process. A file descriptor: it goes there. */
  output?: 'pipe' | number;
  /** Opens a channel for messages. */
  hasChannel?: boolean;
}

export interface ProgramOptions {
  /** Its whole environment: nothing of this process's. */
  env: Record<string, string>;
  /** Its working folder. */
  folder: string;
  /** A file descriptor, for whatever it prints. */
  output: number;
}

const started = new Set<ChildProcess>();
let isWatching = false;

/** Starts `file` with the Node that runs this. */
export function startNode(file: string, args: string[], options: ChildOptions = {}): ChildProcess {
  const { env = {}, nodeFlags = [], output = 'pipe', hasChannel = false } = options;
  const child = spawn(process.execPath, [...nodeFlags, file, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', output, typeof output === 'number' ? output : 'inherit', ...(hasChannel ? (['ipc'] as const) : [])],
    serialization: 'advanced',
  });
  return endingWithThisProcess(child);
}

/** Starts any other program. It must stay the process that it is started as: an interrupted run kills this one alone. */
export function startProgram(file: string, args: string[], { env, folder, output }: ProgramOptions): ChildProcess {
  return endingWithThisProcess(spawn(file, args, { env, cwd: folder, stdio: ['ignore', output, output] }));
}

/** Resolves to the first match in what the child prints. Rejects when it ends before. */
export function firstMatch(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      // The output is read for the whole run, because a full pipe would stop the service.
      if (text.length < 65_536) text += chunk.toString();
      const match = pattern.exec(text);
      if (match) resolve(match);
    });
    child.once('exit', code => reject(new Error(`a process ended with ${String(code)} before it was ready`)));
  });
}

/** Asks the child to end and waits until it has. */
export function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise(resolve => {
    child.removeAllListeners('exit').once('exit', () => resolve());
    child.kill(signal);
  });
}

/** An interrupted run leaves no process behind; an embedded PostgreSQL ends with this process by itself. */
function endingWithThisProcess(child: ChildProcess): ChildProcess {
  started.add(child);
  child.once('exit', () => started.delete(child));
  if (isWatching) return child;
  isWatching = true;
  process.once('exit', () => {
    for (const each of started) each.kill('SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return child;
}
