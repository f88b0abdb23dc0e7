import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';

/** The request cannot be carried out; the message is for people. */
export class CannotAddError extends Error {}

/** Files to write, by path from the workspace's root. It writes nothing until every edit has succeeded. */
export class WorkspaceEdit {
  readonly files = new Map<string, string>();

  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  has(path: string): boolean {
    return this.files.has(path) || existsSync(join(this.root, path));
  }

  read(path: string): string {
    return this.files.get(path) ?? readFileSync(join(this.root, path), 'utf8');
  }

  /** @throws CannotAddError when the file exists */
  add(path: string, text: string): void {
    if (this.has(path)) throw new CannotAddError(`${path} is there already`);
    this.files.set(path, text);
  }

  /** Puts `lines` before the last place where `mark` stands. @throws CannotAddError when it stands nowhere */
  insertBefore(path: string, mark: RegExp, lines: string): void {
    const text = this.read(path);
    const places = [...text.matchAll(new RegExp(mark, 'gm'))];
    const place = places.at(-1);
    if (!place) throw new CannotAddError(`${path} holds nothing like ${String(mark)}: add it by hand`);
    this.files.set(path, `${text.slice(0, place.index)}${lines}${text.slice(place.index)}`);
  }

  /** With a pattern, $1 of the text is its first group. @throws CannotAddError when the text to replace stands nowhere */
  replace(path: string, mark: RegExp | string, text: string): void {
    const before = this.read(path);
    const isThere = typeof mark === 'string' ? before.includes(mark) : before.search(mark) >= 0;
    if (!isThere) throw new CannotAddError(`${path} holds nothing like ${String(mark)}: add it by hand`);
    this.files.set(path, typeof mark === 'string' ? before.replace(mark, () => text) : before.replace(mark, text));
  }

  /** Adds a line among those that match `like`, where the alphabet puts it. @throws CannotAddError when none is like it */
  insertSorted(path: string, like: RegExp, line: string): void {
    const lines = this.read(path).split('\n');
    const similar = lines.flatMap((text, at) => (like.test(text) ? [at] : []));
    const last = similar.at(-1);
    if (last === undefined) throw new CannotAddError(`${path} has no line like ${String(like)}: add it by hand`);
    const at = similar.find(index => lines[index]! > line) ?? last + 1;
    lines.splice(at, 0, line);
    this.files.set(path, lines.join('\n'));
  }

  /** Formats all of it as `npx prettier --write .` would, and writes it. */
  async write(): Promise<void> {
    for (const [path, text] of this.files) {
      const file = join(this.root, path);
      mkdirSync(dirname(file), { recursive: true });
      const isProse = path.endsWith('.md');
      writeFileSync(file, isProse ? text : await format(text, { ...(await resolveConfig(file)), filepath: file }));
    }
  }
}
