/** Programs of others that a benchmark runs with: all are looked for before anything starts. */
import { type ChildProcess, execFile } from 'node:child_process';
import { accessSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ended, startProgram } from './child-processes.ts';
import { cpuUsOfTree } from './process-usage.ts';
import { untilReady } from './services.ts';

/** Where a program may be, and how to get it. */
interface Source {
  folders: readonly string[];
  hint: string;
}

export const systemFolders: readonly string[] = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];

/** A folder that holds what `command` builds in a repository. */
export function builtIn(folder: string, command: string): Source {
  return { folders: [resolve(folder)], hint: `in ${resolve(folder)}: build it in its repository, ${command}` };
}

/** Packages of Debian, which `sender` needs. */
export function installed(folders: readonly string[], sender: string, packages: string): Source {
  return { folders, hint: `on the PATH, and ${sender} needs it: on Debian, apt-get install ${packages}` };
}

/** The file of each program, the first one that there is. @throws naming each program that is missing, and how to get it */
export function findPrograms<K extends string>(
  option: string,
  wanted: Record<K, readonly [name: string, source: Source]>,
): Record<K, string> {
  const entries = Object.entries<readonly [string, Source]>(wanted);
  const found = entries.map(([key, [name, { folders }]]) => [key, folders.map(folder => join(folder, name)).find(isProgram)]);
  const missing = entries
    .filter((_, at) => !found[at]![1])
    .map(([, [name, { hint }]]) => `${option}: no program ${name} ${hint}`);
  if (missing.length > 0) throw new Error(missing.join('\n'));
  return Object.fromEntries(found) as Record<K, string>;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Programs of others that a benchmark needs: each in a folder of its own, with nothing of this process's environment. */
interface Program {
  name: string;
  file: string;
  args?: string[];
  env?: Record<string, string>;
  /** Where it works, and where its log goes. */
  folder: string;
  isReady: () => Promise<boolean>;
}

const commandTimeoutMs = 60_000;

/** A webhook sender of others and the stores that it needs, which end together. */
export class StartedPrograms {
  private readonly children: { part: string; child: ChildProcess }[] = [];

  /** The result of `start` with them. When it fails, those that it started end. */
  static async startWith<T>(start: (programs: StartedPrograms) => Promise<T>): Promise<T> {
    const programs = new StartedPrograms();
    return await start(programs).catch(async (error: unknown) => {
      await programs.stop();
      throw error;
    });
  }

  /** Resolves when it is ready; what it uses is charged to `part`. Rejects with the end of its log when it is not. */
  async start(part: string, program: Program): Promise<void> {
    this.children.push({ part, child: await startReady(program) });
  }

  /** So far, in microseconds, by part, with the processes that they started; the last one that was started comes first. */
  cpu(): Record<string, number> {
    const used: Record<string, number> = {};
    for (const { part, child } of this.children.toReversed()) used[part] = (used[part] ?? 0) + cpuUsOfTree(child.pid!);
    return used;
  }

  async stop(): Promise<void> {
    for (const { child } of this.children.toReversed()) await ended(child, 'SIGKILL');
  }
}

/** Runs a program to its end and returns its output. @throws with its error output when it fails, or takes longer than a minute */
export async function runProgram(file: string, args: string[], { env, folder }: Pick<Required<Program>, 'env' | 'folder'>) {
  return (await promisify(execFile)(file, args, { env, cwd: folder, timeout: commandTimeoutMs })).stdout;
}

/** Whether somebody listens at a port of 127.0.0.1. */
export function accepts(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => socket.destroy() && resolve(true)).once('error', () => resolve(false));
  });
}

async function startReady({ name, file, args = [], env = {}, folder, isReady }: Program): Promise<ChildProcess> {
  mkdirSync(folder, { recursive: true });
  const log = join(folder, `${name}.log`);
  const output = openSync(log, 'a');
  const child = startProgram(file, args, { env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...env }, folder, output });
  closeSync(output);
  return await untilReady(child, { name, log, isReady }).then(
    () => child,
    async (error: unknown) => {
      await ended(child, 'SIGKILL');
      throw error;
    },
  );
}
