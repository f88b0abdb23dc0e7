import { readFileSync, statSync } from 'node:fs';

export interface ReloadOptions {
  /** Least time between two checks of the file, in milliseconds. */
  lookEveryMs?: number;
  /** Called when the file has become unusable; its last content stays in use. */
  onRefused?: (error: Error) => void;
}

/**
 * The content of a file, read again after it has changed. There is no timer: a caller checks the file, at most once per interval. The first
 * reading must succeed. When a later one fails, the previous content stays in use, and the failure is reported once per change of the file.
 */
export class ReloadedFile<T> {
  private held: T;
  private version: string;
  private lookedAtMs = performance.now();

  /** @throws Error naming the file when it cannot be read or parsed */
  constructor(
    private readonly path: string,
    private readonly parse: (text: string) => T,
    private readonly options: ReloadOptions = {},
  ) {
    this.version = versionOf(path);
    this.held = this.read();
  }

  get value(): T {
    const nowMs = performance.now();
    if (nowMs - this.lookedAtMs >= (this.options.lookEveryMs ?? 1_000)) {
      this.lookedAtMs = nowMs;
      this.look();
    }
    return this.held;
  }

  private look(): void {
    const version = versionOf(this.path);
    if (version === this.version) return;
    this.version = version;
    try {
      this.held = this.read();
    } catch (error) {
      this.options.onRefused?.(error as Error);
    }
  }

  private read(): T {
    try {
      return this.parse(readFileSync(this.path, 'utf8'));
    } catch (cause) {
      const reason =
        (cause as NodeJS.ErrnoException).code ?? (cause instanceof SyntaxError ? 'not JSON' : (cause as Error).message);
      throw new Error(`${this.path} is not usable: ${reason}`, { cause });
    }
  }
}

/**
 * Files that are of use only together, such as a certificate and its key: the next `value` is of their new content. While the new contents do not
 * fit each other, because only one is replaced yet, what was made of the former ones stays in use.
 */
export class ReloadedFiles<Name extends string, T> {
  private readonly files: (readonly [Name, ReloadedFile<string>])[];
  private seen: Record<Name, string>;
  private inUse: T;

  /** @throws Error when a file cannot be read, or as `make` does */
  constructor(
    paths: Record<Name, string>,
    private readonly make: (texts: Record<Name, string>) => T,
    private readonly onRefused?: (error: Error) => void,
  ) {
    const names = Object.keys(paths) as Name[];
    this.files = names.map(name => [name, new ReloadedFile(paths[name], text => text, { onRefused })] as const);
    this.seen = this.latest();
    this.inUse = make(this.seen);
  }

  /** The same until a file changes. */
  get value(): T {
    const latest = this.latest();
    if (this.files.every(([name]) => latest[name] === this.seen[name])) return this.inUse;
    this.seen = latest;
    try {
      this.inUse = this.make(latest);
    } catch (error) {
      this.onRefused?.(error as Error);
    }
    return this.inUse;
  }

  private latest(): Record<Name, string> {
    return Object.fromEntries(this.files.map(([name, file]) => [name, file.value])) as Record<Name, string>;
  }
}

/** Identifies the file behind a link, because Kubernetes replaces the files of a secret by changing a link. */
function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.mtimeMs} ${found.ino} ${found.size}` : 'missing';
}
