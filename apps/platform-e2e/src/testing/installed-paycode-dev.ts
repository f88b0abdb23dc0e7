import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. */
export function runToEnd(
  command: string,
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Ended> {
  const options = { cwd, env: { ...process.env, NODE_OPTIONS: '', ...env } };
  return new Promise(resolve => {
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

/** Packs `paycode-dev`, installs the package in the folder, and gives the file of its program. */
export async function installPaycodeDev(folder: string): Promise<string> {
  const project = join(process.cwd(), 'kits/paycode-dev');
  const packed = await runToEnd('npm', ['pack', project, '--silent', '--pack-destination', folder], { cwd: folder });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const tarball = `./${packed.stdout.trim()}`;
  const installed = await runToEnd('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  if (packed.code !== 0 || installed.code !== 0)
    throw new Error(`paycode-dev was not installed:\n${packed.stderr}${installed.stderr}`);
  return join(folder, 'node_modules/@paycode/dev/dist/paycode-dev.mjs');
}
