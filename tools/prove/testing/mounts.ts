/** File systems that a run has mounted: a killed one leaves them, and their folder cannot be removed before. Loaded by Node without a build step. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Only Linux mounts any; it tells which. */
const table = '/proc/self/mountinfo';

/** Mount points below the folder, the deepest first. */
function mountsBelow(folder: string): string[] {
  if (!existsSync(table)) return [];
  // proc_pid_mountinfo(5): the fifth field, with blanks and the like in octal.
  const points = readFileSync(table, 'utf8')
    .split('\n')
    .map(line => unescaped(line.split(' ')[4] ?? ''));
  return points.filter(point => point.startsWith(`${folder}/`)).sort((left, right) => right.length - left.length);
}

/** Unmounts what is mounted below the folder. @throws Error of `umount` */
export function unmountBelow(folder: string): void {
  // Lazily: a log file of a server that has ended may still be open there.
  for (const point of mountsBelow(folder)) execFileSync('umount', ['--lazy', point], { stdio: 'pipe' });
}

function unescaped(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
