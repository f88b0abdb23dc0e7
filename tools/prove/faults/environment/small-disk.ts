import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const chunk = Buffer.alloc(1_048_576);

/** A small separate file system that can be filled. It needs the right to mount. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), 'paycode-disk-'));

  /** @throws when this process may not mount */
  constructor(megabytes: number) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', this.folder], { stdio: 'pipe' });
  }

  /** Why it is not possible here; undefined when it is. */
  static get obstacle(): string | undefined {
    try {
      new SmallDisk(1).remove();
      return undefined;
    } catch (error) {
      return `no file system can be mounted here: ${String((error as { stderr?: Buffer }).stderr ?? error).trim()}`;
    }
  }

  /** Fills the file system completely. */
  fill(): void {
    const file = openSync(this.ballast, 'a');
    try {
      for (const size of [chunk.length, 4_096]) while (this.written(file, size));
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(this.ballast, { force: true });
  }

  remove(): void {
    // Lazily: a log file of a server that has ended may still be open here.
    execFileSync('umount', ['--lazy', this.folder]);
    rmdirSync(this.folder);
  }

  private get ballast(): string {
    return join(this.folder, 'ballast');
  }

  private written(file: number, size: number): boolean {
    try {
      return writeSync(file, chunk, 0, size) > 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
      throw error;
    }
  }
}
