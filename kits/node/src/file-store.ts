/** Remembers which notifications were handled, so that no repeat is handled twice and no SUCCESS wins over a REVERSED. */
import { mkdir, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Notification } from './notification.js';

/** The result of a claim. `NEW`: you handle it. `BUSY`: another caller handles it now. `REVERSED`: a SUCCESS whose payment was announced as reversed. */
export type Claim = 'NEW' | 'BUSY' | 'DONE' | 'REVERSED';

/** Implement it on your database to share it between machines: kits/README.md has the statements. */
export interface Store {
  /** Claims a notification atomically: of two concurrent calls one gets `NEW`. A claim that is older than a minute is taken over. */
  claim(notification: Notification): Promise<Claim>;
  /** The handler has succeeded. */
  done(transactionId: number): Promise<void>;
  /** The handler has failed: a repeat may try again. */
  release(transactionId: number): Promise<void>;
  /** The ids claimed more than a minute ago and not done, because a process died or a handler failed after the answer. */
  pending(): Promise<number[]>;
}

/** A store in a folder, for all processes of one machine: a file per notification (empty until it is done), and one per reversed payment. */
export class FileStore implements Store {
  constructor(
    private readonly folder: string,
    private readonly claimMs = 60_000,
  ) {}

  async claim({ transactionId, paymentId, status }: Notification): Promise<Claim> {
    await mkdir(this.folder, { recursive: true });
    const reversed = join(this.folder, `reversed-${paymentId}`);
    if (status === 'REVERSED') await writeFile(reversed, '');
    const claim = await this.take(String(transactionId));
    // Checked after the claim, so that a reversal that this check misses comes later than our claim.
    if (status !== 'SUCCESS' || !(await modifiedAt(reversed))) return claim;
    if (claim === 'NEW') await this.release(transactionId);
    return 'REVERSED';
  }

  async done(transactionId: number): Promise<void> {
    await writeFile(join(this.folder, String(transactionId)), 'DONE', { flush: true });
  }

  async release(transactionId: number): Promise<void> {
    await rm(join(this.folder, String(transactionId)), { force: true });
  }

  async pending(): Promise<number[]> {
    await mkdir(this.folder, { recursive: true });
    const names = (await readdir(this.folder)).filter(name => /^\d+$/.test(name));
    const isPending = await Promise.all(names.map(async name => (await this.isStale(name)) && !(await this.isDone(name))));
    return names.filter((_, index) => isPending[index]).map(Number);
  }

  private async take(name: string): Promise<Claim> {
    if (await created(join(this.folder, name))) return 'NEW';
    if (await this.isDone(name)) return 'DONE';
    if (!(await this.isStale(name))) return 'BUSY';
    // Of several callers that find the same old claim, the one that creates this file takes it over.
    const claimedAt = (await modifiedAt(join(this.folder, name))) ?? 0;
    if (!(await created(join(this.folder, `${name}-taken-over-${Math.round(claimedAt)}`)))) return 'BUSY';
    await utimes(join(this.folder, name), new Date(), new Date());
    return 'NEW';
  }

  private async isDone(name: string): Promise<boolean> {
    return (await readFile(join(this.folder, name), 'utf8').catch(absent)) === 'DONE';
  }

  private async isStale(name: string): Promise<boolean> {
    const claimedAt = await modifiedAt(join(this.folder, name));
    return claimedAt !== undefined && Date.now() - claimedAt > this.claimMs;
  }
}

/** False when the file exists already: the file system lets one of several callers create it. */
async function created(file: string): Promise<boolean> {
  try {
    await (await open(file, 'wx')).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function modifiedAt(file: string): Promise<number | undefined> {
  return (await stat(file).catch(absent))?.mtimeMs;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
