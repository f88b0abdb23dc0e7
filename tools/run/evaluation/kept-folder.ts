import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder of the user's own: what was made once is given again by later runs. */
export class KeptFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }

  /** The text of a file, made by the first run. */
  async text(name: string, make: () => string | Promise<string>): Promise<string> {
    const file = join(this.path, name);
    if (!existsSync(file)) this.write(name, await make());
    return readFileSync(file, 'utf8');
  }

  /** Replaces a file; an interrupted run leaves the old text or the new one. */
  write(name: string, text: string): void {
    const file = join(this.path, name);
    const unfinished = `${file}.${randomUUID()}`;
    writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(unfinished, file);
  }
}
