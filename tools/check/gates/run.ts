import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** A non-zero exit is a result, not an error. */
  mayFail?: boolean;
}

/** A command failed; the message holds what it printed. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Runs a program of node_modules/.bin or the PATH and collects what it prints. @throws CommandError on a non-zero exit */
export async function run(command: string, args: readonly string[], options: RunOptions = {}) {
  const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, ...options.env, PATH: path };
  const child = spawn(command, args, { cwd: options.cwd ?? root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', exit => resolve(exit ?? 1));
  });
  if (code !== 0 && !options.mayFail)
    throw new CommandError(
      [stdout, stderr]
        .map(text => text.trim())
        .join('\n')
        .trim(),
    );
  return { code, stdout, stderr };
}
