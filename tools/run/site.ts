/**
 * `npm run generate -- site`: builds the documentation site of docs/ into dist/site, which the gateway serves at /docs/ (ADR 0070). `npm start` runs it when a page has
 * changed. It makes the generated pages first. Fails on a link that leads nowhere and on a page that no list of docs/README.md has.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build } from 'vitepress';
import { parse } from 'yaml';
import { makeGeneratedPages } from './build/generated-pages.ts';
import { packKits } from './release/packages.ts';
import { sourceOf } from './release/source.ts';
import { kitsFingerprint, lockBuild, siteFingerprint } from './site/fingerprint.ts';
import {
  listForModels,
  markdownOf,
  type Page,
  pagesOf,
  sidebarOf,
  startPage,
  withLanguages,
  withSiteLinks,
} from './site/pages.ts';
import { seal } from './site/seal.ts';

const root = join(import.meta.dirname, '../..');
const output = join(root, 'dist/site');
const staging = join(root, '.cache/site');
/** Files that pages link to and the site brings along; everything else that is no page stays in the sources. */
const copied = /^(docs|kits\/vectors|libs\/dto\/(contracts|samples))\//;

/** Writes the pages, their files and VitePress's configuration into a folder of their own. Gives the pages, with the links of the site. */
function stage(folder: string, outDir: string): Page[] {
  const pages = pagesOf(root);
  const targets = {
    pages: new Map(pages.map(({ file, path }) => [file, path])),
    copied: (file: string) => copyFor(file, folder),
  };
  const staged = pages.map(page => ({ ...page, text: withSiteLinks(page, targets) }));
  const sidebar = sidebarOf(startOf(staged).text, pages);
  for (const page of staged)
    write(join(folder, markdownOf(page.path)), page.path === '/' ? startPage(page.text) : withLanguages(page, staged).text);
  const place = join(folder, '.vitepress/config.mjs');
  write(
    place,
    `import { siteConfig } from ${JSON.stringify(join(import.meta.dirname, 'site/site-config.ts'))};\n` +
      `export default siteConfig(${JSON.stringify({ folder, outDir, sidebar })});\n`,
  );
  write(
    join(folder, '.vitepress/theme/index.ts'),
    `import { siteTheme } from ${JSON.stringify(join(import.meta.dirname, 'site/theme.ts'))};\n` +
      `import ${JSON.stringify(join(import.meta.dirname, 'site/site.css'))};\nexport default siteTheme;\n`,
  );
  return staged;
}

const startOf = (pages: readonly Page[]): Page => pages.find(({ path }) => path === '/')!;

/** Every page as Markdown beside its HTML, and their list for language models (llmstxt.org). VitePress would make pages of them, so they come after it. */
function writeMarkdown(pages: readonly Page[], site: string): void {
  for (const { path, text } of pages) write(join(site, markdownOf(path)), text);
  write(join(site, 'llms.txt'), listForModels(startOf(pages).text));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Copies a file that a page links to; gives its path in the site. */
function copyFor(file: string, folder: string): string | undefined {
  const source = join(root, file);
  if (!copied.test(file) || !existsSync(source) || !statSync(source).isFile()) return undefined;
  const path = `/files/${file}${/\.(json|yaml|txt|png)$/.test(file) ? '' : '.txt'}`;
  const target = join(folder, 'public', path);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(source, target);
  return path;
}

/** Puts the new site in place of the old one; whoever reads the old one meanwhile finds the new one next. */
function replaceSite(built: string): void {
  const old = `${built}.old`;
  if (existsSync(output)) renameSync(output, old);
  renameSync(built, output);
  rmSync(old, { recursive: true, force: true });
}

async function buildSite(): Promise<void> {
  const startedAt = performance.now();
  const built = `${output}.next`;
  for (const path of [staging, built]) rmSync(path, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  await makeGeneratedPages();
  const source = siteFingerprint(root);
  const pages = stage(staging, built);
  await build(staging);
  writeMarkdown(pages, built);
  for (const name of ['landing.html', 'landing.css']) copyFileSync(join(import.meta.dirname, 'site', name), join(built, name));
  writeApiReference(root, built);
  writePackages(built);
  const { files } = seal(built);
  writeFileSync(join(built, 'source'), source);
  replaceSite(built);
  rmSync(staging, { recursive: true, force: true });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${pages.length} pages, ${Object.keys(files).length} files in ${relative(root, output)}, ${seconds} s`);
}

async function main(): Promise<void> {
  // The start that waits for this build ends: so does the build.
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  const unlock = lockBuild(join(root, '.cache/site.lock'));
  if (!unlock) return console.log('another process builds the site');
  process.once('exit', unlock);
  await buildSite();
}

/** Puts the packages of the kits into `<site>/packages`, with a page that lists them. They are packed anew when a kit has changed; what cannot be packed here is named and left out. */
function writePackages(site: string): void {
  copyPackages(site);
  const folder = join(site, 'packages');
  const archives = readdirSync(folder, { withFileTypes: true }).flatMap(entry => (entry.isFile() ? [entry.name] : []));
  const links = archives.sort().map(name => `<li><a href="${name}">${name}</a></li>`);
  const page = readFileSync(join(import.meta.dirname, 'site/packages.html'), 'utf8');
  writeFileSync(join(folder, 'index.html'), page.replace('<!-- archives -->', links.join('\n')));
}

function copyPackages(site: string): void {
  const cache = join(root, '.cache/packages');
  const folder = join(cache, kitsFingerprint(root));
  if (existsSync(folder)) return cpSync(folder, join(site, 'packages'), { recursive: true });
  rmSync(cache, { recursive: true, force: true });
  const fresh = `${folder}.next`;
  const { missing, failed } = packKits({ folder: fresh, epochS: sourceOf().epochS });
  for (const reason of [...missing, ...failed]) console.log(`no package, kit ${reason}`);
  cpSync(fresh, join(site, 'packages'), { recursive: true });
  // A tool that failed, for example without a network, is tried again by the next build.
  if (failed.length === 0) renameSync(fresh, folder);
}

const own = join(import.meta.dirname, 'site/api');
const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
/** The files of the viewer that the page needs, with its licence. */
const viewerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'];

/**
 * Writes the API reference into `<site>/api`: a page that shows the OpenAPI documents and sends what is tried to the host that serves it. The viewer is
 * copied as its package has it.
 */
function writeApiReference(root: string, site: string): void {
  const folder = join(site, 'api');
  mkdirSync(folder, { recursive: true });
  for (const name of ['index.html', 'page.css', 'page.js']) copyFileSync(join(own, name), join(folder, name));
  for (const name of viewerFiles) copyFileSync(join(viewer, name), join(folder, name));
  for (const name of ['public', 'webhooks']) {
    const text = readFileSync(join(root, `docs/reference/http/${name}.openapi.yaml`), 'utf8');
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(name === 'public' ? onThisHost(text) : parse(text)));
  }
}

/** The document with the address of whoever serves it, in place of the addresses that its file has. */
function onThisHost(text: string): object {
  return { ...(parse(text) as object), servers: [{ url: '/', description: 'The platform that serves this page.' }] };
}

await main();
