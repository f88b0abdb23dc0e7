import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** No build takes as long on the slowest machine. A process that has the number of a dead builder does not stop builds for ever. */
const staleAfterMs = 15 * 60_000;

/** One build of the site at a time: several platforms may start from one folder. Gives the way to end it; undefined while another process builds. */
export function lockBuild(file: string): (() => void) | undefined {
  mkdirSync(dirname(file), { recursive: true });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (isHeld(file)) return undefined;
      rmSync(file, { force: true });
    }
  }
  return undefined;
}

function isHeld(file: string): boolean {
  try {
    if (performance.timeOrigin + performance.now() - statSync(file).mtimeMs > staleAfterMs) return false;
    return process.kill(Number(readFileSync(file, 'utf8')), 0);
  } catch {
    // The file or its process is gone.
    return false;
  }
}
