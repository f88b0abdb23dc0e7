import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface PageFile {
  type: string;
  body: Buffer;
  /** undefined: packing it gains nothing. */
  packed: Buffer | undefined;
  /** Its name changes with its content. */
  isImmutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The built pages, read once: a few files, packed once. Nothing else of the disk can be asked for. */
export class PageFiles {
  private readonly files: ReadonlyMap<string, PageFile>;

  constructor(folder: string) {
    this.files = new Map(existsSync(folder) ? readAll(folder) : []);
  }

  /** `assets/index-1a2b.js`; undefined: there is no such file. */
  find(path: string): PageFile | undefined {
    return this.files.get(path);
  }
}

function readAll(folder: string): [string, PageFile][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(entry => {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || !type) return [];
    const file = join(entry.parentPath, entry.name);
    const path = file
      .slice(folder.length + 1)
      .split(sep)
      .join('/');
    const body = readFileSync(file);
    const packed = gzipSync(body, { level: 9 });
    return [
      [path, { type, body, packed: packed.length < body.length ? packed : undefined, isImmutable: path.startsWith('assets/') }],
    ];
  });
}
