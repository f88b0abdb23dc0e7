/** Programs of others that a benchmark runs with: all are looked for before anything starts. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Where a program may be, and how to get it. */
export interface Source {
  folders: readonly string[];
  hint: string;
}

export const systemFolders: readonly string[] = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];

/** A folder that holds what `command` builds in a repository. */
export function builtIn(folder: string, command: string): Source {
  return { folders: [resolve(folder)], hint: `in ${resolve(folder)}: build it in its repository, ${command}` };
}

/** Packages of Debian, which `sender` needs. */
export function installed(folders: readonly string[], sender: string, packages: string): Source {
  return { folders, hint: `on the PATH, and ${sender} needs it: on Debian, apt-get install ${packages}` };
}

/** The file of each program, the first one that there is. @throws naming each program that is missing, and how to get it */
export function findPrograms<K extends string>(
  option: string,
  wanted: Record<K, readonly [name: string, source: Source]>,
): Record<K, string> {
  const entries = Object.entries<readonly [string, Source]>(wanted);
  const found = entries.map(([key, [name, { folders }]]) => [key, folders.map(folder => join(folder, name)).find(isProgram)]);
  const missing = entries
    .filter((_, at) => !found[at]![1])
    .map(([, [name, { hint }]]) => `${option}: no program ${name} ${hint}`);
  if (missing.length > 0) throw new Error(missing.join('\n'));
  return Object.fromEntries(found) as Record<K, string>;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
