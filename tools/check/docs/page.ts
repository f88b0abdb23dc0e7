import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** A generated file: path from the workspace root, and its whole text. */
export interface Page {
  path: string;
  text: string;
}

/** Whether the file of the page has its text. */
export function isCurrent({ path, text }: Page): boolean {
  try {
    return readFileSync(join(root, path), 'utf8') === text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Writes the pages that are not current, and gives their paths. Other processes never find half a page. */
export function writePages(pages: readonly Page[]): string[] {
  return pages
    .filter(page => !isCurrent(page))
    .map(({ path, text }) => {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.${process.pid}`, text);
      renameSync(`${file}.${process.pid}`, file);
      return path;
    });
}
