import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Declarations } from './declarations';

/** The declarations of the sources, read by a process of its own: specs cannot load the bundler. `tree`: another copy of the workspace. */
export function readDeclarations(tree = join(import.meta.dirname, '../../..')): Declarations {
  const script = join(import.meta.dirname, 'declarations.ts');
  return JSON.parse(execFileSync(process.execPath, [script, tree], { encoding: 'utf8', maxBuffer: 2 ** 26 })) as Declarations;
}
