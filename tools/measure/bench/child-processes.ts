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

const started = new Set<ChildProcess>();
let isWatching = false;

/** Starts `file` with the Node that runs this. */
export function startNode(file: string, args: string[], options: ChildOptions = {}): ChildProcess {
  endWithThisProcess();
  const { env = {}, nodeFlags = [], output = 'pipe', hasChannel = false } = options;
  const child = spawn(process.execPath, [...nodeFlags, file, ...args], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', output, typeof output === 'number' ? output : 'inherit', ...(hasChannel ? (['ipc'] as const) : [])],
    serialization: 'advanced',
  });
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
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
function endWithThisProcess(): void {
  if (isWatching) return;
  isWatching = true;
  process.once('exit', () => {
    for (const child of started) child.kill('SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
}
