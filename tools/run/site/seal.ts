import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The list of the site's files. The gateway serves these files and no others, so that no path can leave the folder. */
interface SiteList {
  /** Of every HTML page: Content-Security-Policy. */
  policy: string;
  /** By path without a first slash. */
  files: Record<string, { type: string; bytes: number; etag: string }>;
}

const listName = 'site.json';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.yaml': 'text/plain; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.tgz': 'application/gzip',
  '.whl': 'application/zip',
  '.gem': 'application/x-tar',
  '.zip': 'application/zip',
  '.jar': 'application/java-archive',
  '.pom': 'application/xml',
  '.nupkg': 'application/zip',
  '.snupkg': 'application/zip',
  // A module of Go: `list`, `<version>.info` and `<version>.mod`.
  '': 'text/plain; charset=utf-8',
  '.info': 'application/json',
  '.mod': 'text/plain; charset=utf-8',
};
/** More would mean that something writes a style or a script per page. */
const hashesMax = 24;

/** Lists the built files with their hashes, and makes the security policy from what the pages hold. Throws for a file of an unknown type. */
export function seal(folder: string): SiteList {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const files: SiteList['files'] = {};
  const pages: string[] = [];
  for (const name of names) {
    const content = readFileSync(join(folder, name));
    const type = types[extname(name)];
    if (type === undefined) throw new Error(`${name}: a file of a type that the site does not serve`);
    files[name] = { type, bytes: content.length, etag: `"${hashOf(content).slice(0, 22)}"` };
    if (name.endsWith('.html')) pages.push(content.toString('utf8'));
  }
  const list = { policy: policyFor(pages), files };
  writeFileSync(join(folder, listName), JSON.stringify(list));
  return list;
}

const inlineScript = /<script(?![^>]*\ssrc=)(?![^>]*type="application\/(?:ld\+)?json")[^>]*>([\s\S]*?)<\/script>/g;
const styleAttribute = /<[a-z][^>]*\sstyle="([^"]*)"/g;

/** Nothing from another host, no script and no style but those that were there when the site was built. */
export function policyFor(pages: readonly string[]): string {
  const scripts = hashesIn(pages, inlineScript);
  const styles = hashesIn(pages, styleAttribute);
  if (scripts.length + styles.length > hashesMax)
    throw new Error(`the pages have ${scripts.length} scripts and ${styles.length} styles of their own, more than ${hashesMax}`);
  return [
    `default-src 'none'`,
    ['script-src', `'self'`, ...scripts].join(' '),
    ['style-src', `'self'`, ...(styles.length > 0 ? [`'unsafe-hashes'`] : []), ...styles].join(' '),
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

function hashesIn(pages: readonly string[], pattern: RegExp): string[] {
  const texts = new Set(pages.flatMap(page => [...page.matchAll(pattern)].map(([, text]) => text!)));
  return [...texts].map(text => `'sha256-${hashOf(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))}'`).sort();
}

function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64');
}

/** The parts of a node of highlighted code (hast) that this file reads. */
interface CodeNode {
  type: string;
  properties?: Record<string, unknown>;
  children?: CodeNode[];
}

/** Colours of code as classes in one style sheet: the highlighter writes `style` attributes, which the security policy forbids. */
export class CodeColours {
  private readonly styles = new Map<string, string>();

  /** For VitePress's `codeTransformers`. */
  readonly transformer = { name: 'styles-as-classes', root: (node: CodeNode): void => this.toClasses(node) };

  /** Writes `code.css` with the styles of everything that was highlighted. */
  write(folder: string): void {
    const rules = [...this.styles].map(([style, name]) => `.${name}{${style}}`).sort();
    writeFileSync(join(folder, 'code.css'), `${rules.join('\n')}\n`);
  }

  private toClasses({ properties, children = [] }: CodeNode): void {
    if (typeof properties?.['style'] === 'string') {
      properties['class'] = [properties['class'], this.classOf(properties['style'])].flat().filter(Boolean).join(' ');
      delete properties['style'];
    }
    children.forEach(child => this.toClasses(child));
  }

  private classOf(style: string): string {
    const name = this.styles.get(style) ?? `c-${createHash('sha256').update(style).digest('hex').slice(0, 8)}`;
    this.styles.set(style, name);
    return name;
  }
}
