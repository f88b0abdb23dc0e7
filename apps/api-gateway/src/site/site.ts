import { DomainError } from '@paycode/service-runtime';
import { readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/** A request for a page. */
export interface SiteRequest {
  method: string;
  /** Normalised. */
  path: string;
  /** Value of If-None-Match. */
  knownEtag: string | undefined;
  /** Value of Accept. */
  accept: string | undefined;
}

export interface SiteAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Readable;
}

const base = '/docs';
const landingName = 'landing.html';
const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD';
/** The build puts the hash of their content into the names of these files. */
const unchanging = /^assets\//;

/**
 * The documentation, from files that were built before (ADR 0070). Nobody is asked who calls: the pages are the same for all, and they hold nothing of a
 * merchant.
 */
export class Site {
  private readonly list: SiteList;

  constructor(folder: string) {
    this.list = new SiteList(folder);
  }

  /** Undefined for the paths of others. @throws DomainError 405 for a method that writes, 503 while there is no site yet */
  async answerTo(request: SiteRequest): Promise<SiteAnswer | undefined> {
    const { method, path } = request;
    if (path === '/') return this.landingPage(request);
    if (path !== base && !path.startsWith(`${base}/`)) return undefined;
    if (!isRead(method)) throw notAllowed();
    if (path === base) return { status: 308, headers: { location: `${base}/` }, body: '' };
    if (!this.list.isThere()) throw notBuilt();
    return this.pageOf(path.slice(base.length + 1), request);
  }

  /** For browsers only: to every other client the path is what it was before there was a page. */
  private async landingPage(request: SiteRequest): Promise<SiteAnswer | undefined> {
    const isBrowser = isRead(request.method) && (request.accept ?? '').includes('text/html');
    if (!isBrowser || !this.list.isThere() || !this.list.file(landingName)) return undefined;
    const answer = await this.pageOf(landingName, request);
    return { ...answer, headers: { ...answer.headers, vary: 'accept' } };
  }

  private async pageOf(name: string, { method, knownEtag }: SiteRequest): Promise<SiteAnswer> {
    const found = this.find(name);
    const file = found ?? this.list.file('404.html');
    if (!file) throw notBuilt();
    const headers = this.headersOf(file);
    if (found && knownEtag === file.etag) return { status: 304, headers, body: nothing() };
    headers['content-length'] = String(file.bytes);
    return { status: found ? 200 : 404, headers, body: method === 'HEAD' ? nothing() : await contentOf(file) };
  }

  private find(name: string): SiteFile | undefined {
    return this.list.file(name) ?? this.list.file(`${name}.html`) ?? this.list.file(name.replace(/(^|\/)$/, '$1index.html'));
  }

  private headersOf({ name, type, etag }: SiteFile): Record<string, string> {
    const isPage = type.startsWith('text/html');
    return {
      'content-type': type,
      etag,
      'cache-control': unchanging.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      ...(isPage && { 'content-security-policy': this.list.policy, 'cross-origin-opener-policy': 'same-origin' }),
    };
  }
}

/** A body without bytes that leaves the announced length as it is. */
const nothing = (): Readable => Readable.from([]);

/** The bytes from the disk, as the client takes them. @throws DomainError 503 when another build has replaced the file since the list was read */
async function contentOf({ path, bytes }: SiteFile): Promise<Readable> {
  const file = await open(path).catch((cause: unknown) => {
    throw notBuilt(cause);
  });
  try {
    const { size } = await file.stat();
    if (size === bytes) return file.createReadStream();
  } catch (cause) {
    await file.close();
    throw notBuilt(cause);
  }
  await file.close();
  throw notBuilt();
}

function notAllowed(): DomainError {
  return new DomainError({ status: 405, reason: 'METHOD', message: 'Method Not Allowed', headers: { allow: 'GET, HEAD' } });
}

function notBuilt(cause?: unknown): DomainError {
  const message = 'the documentation is being built';
  return new DomainError({ status: 503, reason: 'SITE_NOT_BUILT', message, headers: { 'retry-after': '5' }, cause });
}

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
