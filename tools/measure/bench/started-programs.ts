/** Programs of others that a benchmark needs: each in a folder of its own, with nothing of this process's environment. */
import { type ChildProcess, execFile } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ended, startProgram } from './child-processes.ts';
import { cpuUsOfTree } from './process-usage.ts';
import { untilReady } from './services.ts';

export interface Program {
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
