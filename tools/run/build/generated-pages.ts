import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Declarations } from './declarations';

const root = join(import.meta.dirname, '../../..');
/** Some twenty times what it takes on two quiet cores. */
const withinMs = 300_000;

/** Writes the generated files that git does not hold (`npm run generate`), for a program that reads them from their folders. */
export async function makeGeneratedPages(): Promise<void> {
  const script = [join(root, 'tools/run.cjs'), 'check/generate-docs', '--ignored'];
  await promisify(execFile)(process.execPath, script, { cwd: root, timeout: withinMs });
}

/** The declarations of the sources, read by a process of its own: specs cannot load the bundler. `tree`: another copy of the workspace. */
export function readDeclarations(tree = join(import.meta.dirname, '../../..')): Declarations {
  const script = join(import.meta.dirname, 'declarations.ts');
  return JSON.parse(execFileSync(process.execPath, [script, tree], { encoding: 'utf8', maxBuffer: 2 ** 26 })) as Declarations;
}
