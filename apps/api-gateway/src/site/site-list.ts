import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** One file of the site. */
export interface SiteFile {
  /** In the site, without a first slash. */
  name: string;
  /** Where it lies. */
  path: string;
  type: string;
  bytes: number;
  etag: string;
}

/** The content of `site.json`, which the build writes last. */
interface BuiltList {
  policy: string;
  files: Record<string, Omit<SiteFile, 'name' | 'path'>>;
}

/** The files of the site and no other, so that no path leaves the folder. A site that was built anew is noticed at the next request. */
export class SiteList {
  private read: { version: string; policy: string; files: Map<string, SiteFile> } | undefined;

  constructor(private readonly folder: string) {}

  /** Content-Security-Policy of the pages. */
  get policy(): string {
    return this.read?.policy ?? '';
  }

  /** Reads the list again if it is another one; false when there is no site. */
  isThere(): boolean {
    const file = join(this.folder, 'site.json');
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat) return false;
    const version = `${stat.ino} ${stat.mtimeMs}`;
    if (this.read?.version !== version) this.read = { version, ...this.parsed(readFileSync(file, 'utf8')) };
    return true;
  }

  /** By path without a first slash. */
  file(path: string): SiteFile | undefined {
    return this.read?.files.get(path);
  }

  private parsed(text: string): { policy: string; files: Map<string, SiteFile> } {
    const { policy, files } = JSON.parse(text) as BuiltList;
    const listed = Object.entries(files).map(([name, file]) => [name, { ...file, name, path: join(this.folder, name) }] as const);
    return { policy, files: new Map(listed) };
  }
}
