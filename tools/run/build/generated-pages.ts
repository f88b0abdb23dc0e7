import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');
/** Some twenty times what it takes on two quiet cores. */
const withinMs = 300_000;

/** Writes the generated files that git does not hold (`npm run generate`), for a program that reads them from their folders. */
export async function makeGeneratedPages(): Promise<void> {
  const script = [join(root, 'tools/run.cjs'), 'check/generate-docs', '--ignored'];
  await promisify(execFile)(process.execPath, script, { cwd: root, timeout: withinMs });
}
