import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { removedAtExit } from './removed-at-exit.ts';

export interface ScratchCopy {
  root: string;
  remove(): void;
}

/** A copy of every file git knows or would take, as they are now, with the packages of `root`: faults go there, never into the checkout. */
export function scratchCopy(root: string): ScratchCopy {
  const copy = mkdtempSync(join(tmpdir(), 'paycode-mutation-'));
  const remove = removedAtExit(copy);
  // PostgreSQL of a root user runs as another one and must pass through.
  chmodSync(copy, 0o755);
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const file of new Set(listed.split('\0'))) {
    // Listed but gone (removed, not committed yet), or a link to a folder.
    if (file === '' || !isFile(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    copyFileSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  return { root: copy, remove };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
