import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError, exitCodes } from '../command-error';
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

/** Which profile: the platform, and the account there. */
export interface ProfileChoice {
  url?: string;
  identity?: string;
}

/** The profiles of a person, a file per account of a platform, for this person's eyes only (mode 0600). */
export class ProfileStore {
  constructor(private readonly folder: string) {}

  /** The profile that was chosen; what is not named is as at the last login. @throws CommandError when there is none, or several */
  read(choice: ProfileChoice = {}): Profile {
    const { url, identity } = this.completed(choice);
    const text = url && identity ? this.text(this.fileOf({ url, identity })) : undefined;
    if (text !== undefined) return JSON.parse(text) as Profile;
    const where = [url && ` to ${url}`, choice.identity && ` as ${choice.identity}`].filter(Boolean).join('');
    throw new CommandError(`you are not logged in${where}: paycode-dev login`, exitCodes.notLoggedIn);
  }

  private completed({ url, identity }: ProfileChoice): ProfileChoice {
    const [lastUrl, lastIdentity] = this.text(this.currentFile)?.trim().split(' ') ?? [];
    const wanted = url ?? lastUrl;
    if (wanted === undefined || identity !== undefined) return { url: wanted, identity };
    return { url: wanted, identity: wanted === lastUrl ? lastIdentity : this.onlyAccountAt(wanted) };
  }

  /** Keeps the profile. */
  write(profile: Profile): void {
    this.put(this.fileOf(profile), `${JSON.stringify(profile)}\n`);
  }

  /** The account that commands use when none is named. */
  select({ url, identity }: Profile): void {
    this.put(this.currentFile, `${url} ${identity}\n`);
  }

  remove(profile: Profile): void {
    rmSync(this.fileOf(profile), { force: true });
  }

  /** Runs `work` while no other process renews the same token: a renewal ends the token that the other one has. */
  async locked<T>(profile: Profile, work: () => Promise<T>): Promise<T> {
    const lock = `${this.fileOf(profile)}.lock`;
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

  private fileOf({ url, identity }: Pick<Profile, 'url' | 'identity'>): string {
    return join(this.folder, `${hostOf(url)}@${encodeURIComponent(identity)}.json`);
  }

  private onlyAccountAt(url: string): string | undefined {
    const files = existsSync(this.folder) ? readdirSync(this.folder) : [];
    const beginning = `${hostOf(url)}@`;
    const names = files
      .filter(file => file.startsWith(beginning) && file.endsWith('.json'))
      .map(file => decodeURIComponent(file.slice(beginning.length, -'.json'.length)));
    if (names.length > 1)
      throw new CommandError(`several accounts are logged in to ${url}: --as ${names.sort().join(' or --as ')}`, exitCodes.usage);
    return names[0];
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

function hostOf(url: string): string {
  return new URL(url).host.replace(/[^a-zA-Z0-9.-]/g, '_');
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
