import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError } from '../command-error';
import { exitCodes } from '../exit-codes';
import type { PlatformAddress } from './send';

/** An account at a platform. `authorization` is a secret. */
export interface Profile extends PlatformAddress {
  identity: string;
  /** Value of the Authorization header. */
  authorization: string;
  /** When the token ends, ISO 8601; null for Basic, which does not end. */
  expires: string | null;
}

const lockAgeMaxMs = 60_000;
const lockPauseMs = 50;

/** The profiles of a person, one file per platform, for this person's eyes only (mode 0600). */
export class ProfileStore {
  constructor(private readonly folder: string) {}

  /** The profile of a platform, or of the last login. @throws CommandError when there is none */
  read(url?: string): Profile {
    const wanted = url ?? this.text(this.currentFile)?.trim();
    const text = wanted === undefined ? undefined : this.text(this.fileOf(wanted));
    if (text === undefined)
      throw new CommandError(
        `you are not logged in${wanted === undefined ? '' : ` to ${wanted}`}: paycode-dev login`,
        exitCodes.notLoggedIn,
      );
    return JSON.parse(text) as Profile;
  }

  /** Keeps the profile. */
  write(profile: Profile): void {
    this.put(this.fileOf(profile.url), `${JSON.stringify(profile)}\n`);
  }

  /** The platform that commands use when none is named. */
  select(url: string): void {
    this.put(this.currentFile, `${url}\n`);
  }

  remove(url: string): void {
    rmSync(this.fileOf(url), { force: true });
  }

  /** Runs `work` while no other process renews the same token: a renewal ends the token that the other one has. */
  async locked<T>(url: string, work: () => Promise<T>): Promise<T> {
    const lock = `${this.fileOf(url)}.lock`;
    while (!taken(lock)) await pause(lockPauseMs);
    try {
      return await work();
    } finally {
      rmSync(lock, { force: true });
    }
  }

  private get currentFile(): string {
    return join(this.folder, 'current');
  }

  private fileOf(url: string): string {
    return join(this.folder, `${new URL(url).host.replace(/[^a-zA-Z0-9.-]/g, '_')}.json`);
  }

  private text(file: string): string | undefined {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  private put(file: string, text: string): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const fresh = `${file}.${process.pid}`;
    writeFileSync(fresh, text, { mode: 0o600 });
    // The mode of writeFileSync holds for a new file only.
    chmodSync(fresh, 0o600);
    renameSync(fresh, file);
  }
}

/** A lock that a killed process left is broken after a minute, longer than a renewal may take. */
function taken(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > lockAgeMaxMs) rmSync(lock, { force: true });
    return false;
  }
}
