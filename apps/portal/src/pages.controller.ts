import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';

interface PageFile {
  type: string;
  body: Buffer;
  /** By the name of the encoding, the smallest first; none where packing gains nothing. */
  packed: (readonly [encoding: string, body: Buffer])[];
  /** Its name changes with its content. */
  isImmutable: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The built pages, read once: a few files, packed once; by brotli at the build, which takes seconds at its best. Nothing else of the disk can be asked for. */
export class PageFiles {
  private readonly files: ReadonlyMap<string, PageFile>;
  private readonly scripts: ReadonlyMap<string, readonly string[]>;

  constructor(folder: string) {
    this.files = new Map(existsSync(folder) ? readAll(folder) : []);
    this.scripts = new Map(this.files.size > 0 ? readScripts(folder) : []);
  }

  /** For the answer with the document at a path: what the browser would ask for only after it has read other scripts. */
  linkOf(path: string): string {
    // `payments/17` is the page of one payment.
    const own = this.scripts.get(path === '' ? 'home' : `${path.replace(/s\/\d+$/, '')}-page`);
    const scripts = own ?? this.scripts.get('app') ?? [];
    return [...scripts.map(script => `</console/${script}>; rel=modulepreload`), ...(own ? [whoIsSignedIn] : [])].join(', ');
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
    const brotli = existsSync(`${file}.br`) ? [['br', readFileSync(`${file}.br`)] as const] : [];
    const packed = [...brotli, ['gzip', gzipSync(body, { level: 9 })] as const].filter(([, each]) => each.length < body.length);
    return [[path, { type, body, packed, isImmutable: path.startsWith('assets/') }]];
  });
}

type Chunks = Record<string, { file: string; name?: string; imports?: string[] }>;

/** By the name of the page: all that it and the app import, but for what the document names itself. */
function readScripts(folder: string): [string, string[]][] {
  const chunks = JSON.parse(readFileSync(join(folder, 'scripts.json'), 'utf8')) as Chunks;
  const [named, app] = [importedBy(chunks, 'index.html'), importedBy(chunks, 'src/app.tsx')];
  return Object.entries(chunks).map(([key, { name = '' }]) => {
    const all = [...new Set([...importedBy(chunks, key), ...app])];
    return [name, all.filter(each => !named.includes(each))];
  });
}

/** Chunks may import each other. */
function importedBy(chunks: Chunks, key: string, seen = new Set<string>()): string[] {
  if (seen.has(key)) return [];
  seen.add(key);
  const { file, imports = [] } = chunks[key]!;
  return [file, ...imports.flatMap(each => importedBy(chunks, each, seen))];
}

/** Only this origin's own script, style and images, nothing inline; nothing may frame the pages. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};
const yearS = 31_536_000;
/** The first call of such a page. Others, such as the one that a company's provider leads to, sign in before they ask: an early answer is wrong there. */
const whoIsSignedIn = '</console/api/session>; rel=preload; as=fetch; crossorigin';

/** The pages: files by their names, and the one document for every other path, whose routes the browser knows. */
@Controller('console')
export class PagesController {
  constructor(private readonly files: PageFiles) {}

  @Get()
  index(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.document(request, reply);
  }

  @Get('assets/:name')
  asset(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const file = this.files.find(`assets/${name}`);
    if (!file) throw new DomainError({ status: 404, reason: 'NO_PAGE', message: 'Not Found' });
    send(file, request, reply);
  }

  @Get('*')
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const path = request.url.split('?', 1)[0]!.slice('/console/'.length);
    if (path.startsWith('api/')) throw new DomainError({ status: 404, reason: 'NO_ROUTE', message: 'Not Found' });
    const file = this.files.find(path);
    if (file) send(file, request, reply);
    else this.document(request, reply, path);
  }

  private document(request: FastifyRequest, reply: FastifyReply, path = ''): void {
    void reply.header('link', this.files.linkOf(path));
    const file = this.files.find('index.html');
    if (!file) throw new DomainError({ status: 503, reason: 'NO_PAGES', message: 'the pages of the portal were not built' });
    send(file, request, reply);
  }
}

function send({ type, body, packed, isImmutable }: PageFile, request: FastifyRequest, reply: FastifyReply): void {
  const taken = String(request.headers['accept-encoding'] ?? '').split(/[\s,;]+/);
  const [encoding, smallest = body] = packed.find(([each]) => taken.includes(each)) ?? [];
  void reply.headers({
    ...securityHeaders,
    'content-type': type,
    'cache-control': isImmutable ? `public, max-age=${yearS}, immutable` : 'no-cache',
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding }),
  });
  void reply.send(smallest);
}
