/** Remembers which notifications were handled, so that no repeat is handled twice and no SUCCESS wins over a REVERSED. */
import { constants, type Stats } from 'node:fs';
import { mkdir, open, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
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

/** A store in a folder, for all processes of one machine: a file per notification (one byte until it is done), and one per reversed payment. */
export class FileStore implements Store {
  constructor(
    private readonly folder: string,
    private readonly claimMs = 60_000,
  ) {}

  async claim({ transactionId, paymentId, status }: Notification): Promise<Claim> {
    await mkdir(this.folder, { recursive: true });
    const reversed = join(this.folder, `reversed-${paymentId}`);
    if (status === 'REVERSED') await created(reversed);
    const claim = await this.take(String(transactionId));
    // Checked after the claim, so that a reversal that this check misses comes later than our claim.
    if (status !== 'SUCCESS' || !(await look(reversed))) return claim;
    if (claim === 'NEW') await this.release(transactionId);
    return 'REVERSED';
  }

  async done(transactionId: number): Promise<void> {
    // Not truncated: the file keeps its room on the disk.
    const flag = constants.O_WRONLY | constants.O_CREAT;
    await writeFile(join(this.folder, String(transactionId)), 'DONE', { flag, flush: true });
  }

  async release(transactionId: number): Promise<void> {
    await rm(join(this.folder, String(transactionId)), { force: true });
  }

  async pending(): Promise<number[]> {
    await mkdir(this.folder, { recursive: true });
    const names = (await readdir(this.folder)).filter(name => /^\d+$/.test(name));
    const found = await Promise.all(names.map(name => look(join(this.folder, name))));
    return names.filter((_, index) => this.isAbandoned(found[index])).map(Number);
  }

  private async take(name: string): Promise<Claim> {
    const file = join(this.folder, name);
    if (await created(file)) return 'NEW';
    const found = await look(file);
    if (found && isDone(found)) return 'DONE';
    // Of several callers that find the same old claim, the one that creates this file takes it over.
    if (!this.isAbandoned(found) || !(await created(`${file}-taken-over-${Math.round(found.mtimeMs)}`))) return 'BUSY';
    await utimes(file, new Date(), new Date());
    return 'NEW';
  }

  private isAbandoned(found: Stats | undefined): found is Stats {
    return found !== undefined && !isDone(found) && Date.now() - found.mtimeMs > this.claimMs;
  }
}

/** False when the file exists already: the file system lets one of several callers create it. Its byte needs room: a full disk fails before the work. */
async function created(file: string): Promise<boolean> {
  const opened = await open(file, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!opened) return false;
  try {
    await opened.write('-').finally(() => opened.close());
    return true;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

function isDone({ size }: Stats): boolean {
  return size > 1;
}

/** Nothing when the claim was just released. */
async function look(file: string): Promise<Stats | undefined> {
  return stat(file).catch(absent);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
