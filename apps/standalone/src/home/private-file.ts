import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner can read. It is atomic: readers see the old or the new text, never a part of it. */
export function writePrivateFile(path: string, text: string): void {
  const unfinished = `${path}.${randomUUID()}`;
  writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(unfinished, path);
}

/** Text of a file, or undefined when there is none. */
export function readIfPresent(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
