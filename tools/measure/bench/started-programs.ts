/** Programs of others that a benchmark needs: each in a folder of its own, with nothing of this process's environment. */
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ended, startProgram } from './child-processes.ts';
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

/** Resolves when it is ready. Rejects with the end of its log when it is not, and leaves nothing running. */
export async function startReady({ name, file, args = [], env = {}, folder, isReady }: Program): Promise<ChildProcess> {
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
