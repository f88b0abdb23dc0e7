import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isSiteUpToDate } from '../site/fingerprint.ts';

const root = join(import.meta.dirname, '../../..');
const outputCharsMax = 4_000;

/**
 * Begins to build the documentation when a page has changed, beside the build of the apps; the promise ends with the process that builds. A site that cannot
 * be built is told and stops nobody: payments do not need it.
 */
export async function buildDocumentation(say: (line: string) => void): Promise<void> {
  if (isSiteUpToDate(root)) return;
  say('building the documentation (only when pages changed)');
  // The channel ends the build when this process ends before it.
  const script = [join(root, 'tools/run.cjs'), 'run/site'];
  const child = spawn(process.execPath, script, { cwd: root, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let complaint = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-outputCharsMax)));
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) say(`no documentation at /docs/; npm run generate -- site shows why: ${complaint.trim()}`);
  } catch (error) {
    say(`no documentation at /docs/: ${(error as Error).message}`);
  }
}
