import { isTraversable } from '@paycode/persistence/embedded';
import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';

/** Where root keeps a database whose home folder only root may enter; PostgreSQL never runs as root. */
const systemDataFolder = '/var/lib/paycode';

/** Absolute paths of all files of the standalone platform. */
export interface HomeFolder {
  path: string;
  secrets: string;
  tls: string;
  logs: string;
  outbox: string;
  postgres: string;
  standaloneFile: string;
  operatorTokenFile: string;
}

/** Opens (creating it when missing) the folder `path`; only its owner can read what is inside. */
export function openHomeFolder(path: string): HomeFolder {
  // Under root, PostgreSQL runs as `nobody` and must be able to enter the folder to reach its data; it still cannot list the folder.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  mkdirSync(path, { recursive: true, mode });
  chmodSync(path, mode);
  const real = realpathSync(path);
  const home: HomeFolder = {
    path: real,
    secrets: join(real, 'secrets'),
    tls: join(real, 'tls'),
    logs: join(real, 'logs'),
    outbox: join(real, 'outbox'),
    postgres: postgresFolder(real),
    standaloneFile: join(real, 'standalone.json'),
    operatorTokenFile: join(real, 'operator.token'),
  };
  for (const folder of [home.secrets, home.tls, home.logs, home.outbox]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return home;
}

function postgresFolder(home: string): string {
  const inside = join(home, 'postgres');
  if (process.getuid?.() !== 0 || isTraversable(inside)) return inside;
  const folder = join(systemDataFolder, fingerprintOf(home));
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  return join(folder, 'postgres');
}

/** Short name of a home folder, the same for the same folder. */
export function fingerprintOf(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 16);
}

/** Removes the files of the platform, and no other files in the folder. */
export function emptyHomeFolder(home: HomeFolder): void {
  const made = [home.postgres, home.secrets, home.tls, home.logs, home.outbox, home.standaloneFile, home.operatorTokenFile];
  for (const path of made) rmSync(path, { recursive: true, force: true });
  openHomeFolder(home.path);
}

/** A path for people: relative to the working directory when it is below it, absolute otherwise. */
export function displayPath(path: string, from = process.cwd()): string {
  const short = relative(realpathSync(from), path);
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}

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

/** A file of the home folder is empty or cut short, as after a full disk; nothing was changed. The message says what to do. */
export class DamagedFileError extends Error {}

const remedies = {
  RESTORE:
    'The data of this platform cannot be used without it, and is left as it is. Put a copy of the file back and start again.\n' +
    'Without a copy: npm start -- --fresh deletes all data and begins again.',
  DELETE: 'Delete the file and start again: a new one is made, and payments and settings stay.',
} as const;

/** Text of a file, or undefined when there is none. `isWhole` may throw. @throws DamagedFileError */
export function readWhole(path: string, isWhole: (text: string) => unknown, remedy: keyof typeof remedies): string | undefined {
  const text = readIfPresent(path);
  if (text === undefined) return undefined;
  let cause: unknown;
  try {
    if (isWhole(text)) return text;
  } catch (error) {
    cause = error;
  }
  throw new DamagedFileError(`${displayPath(path)} is ${text === '' ? 'empty' : 'damaged'}. ${remedies[remedy]}`, { cause });
}
