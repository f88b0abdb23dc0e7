import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

/** One page of the site. */
export interface Page {
  /** In the project: `docs/how-to/log-in.md`. */
  file: string;
  /** In the site, without its beginning `/docs`: `/how-to/log-in`, `/decisions/`. */
  path: string;
  text: string;
}

/** Pages outside `docs/` that its pages lead to. Their texts are for who reads the project's files too. */
const rootPages: Readonly<Record<string, string>> = {
  'README.md': '/project',
  'CONTRIBUTING.md': '/contributing',
  'STYLE.md': '/style',
  'SECURITY.md': '/report-a-vulnerability',
  'CHANGELOG.md': '/changelog',
};
const folders = ['docs', 'k8s', 'kits', 'libs/events'];
const skipped = /(^|\/)(node_modules|dist|target|build|vendor|public)(\/|$)/;

/** The pages of the site, from the project's folder. */
export function pagesOf(root: string): Page[] {
  const inFolders = folders.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.md') && !skipped.test(name))
      .map(name => `${folder}/${name}`),
  );
  return [...Object.keys(rootPages), ...inFolders.sort()].map(file => ({
    file,
    path: pathOf(file),
    text: readFileSync(join(root, file), 'utf8'),
  }));
}

function pathOf(file: string): string {
  const own = rootPages[file];
  if (own !== undefined) return own;
  const path = `/${file.replace(/^docs\//, '').replace(/\.md$/, '')}`;
  return basename(path) === 'README' ? join(dirname(path), '/') : path;
}

const link = /(!?)\[([^\]]*)\]\(([^)\s]+)\)/g;
/** Shown as its text. */
const diagram = /^```mermaid/;
const codeFence = /(^```[\s\S]*?^```)/m;

/** Where a link leads: a page of the site, a file that is copied into it, or only the project's sources. */
interface LinkTargets {
  /** By file of the project. */
  pages: ReadonlyMap<string, string>;
  /** The path of a file in the site; undefined when it stays in the sources. */
  copied: (file: string) => string | undefined;
}

/** The page with links as the site has them; what only the sources hold is named and not linked. */
export function withSiteLinks({ file, text }: Pick<Page, 'file' | 'text'>, targets: LinkTargets): string {
  const rewritten = (part: string) =>
    part.replace(link, (...match: string[]) => {
      const [whole, image, label, target] = match;
      const isOurs = !/^(#|[a-z][a-z0-9+.-]*:)/i.test(target!);
      return isOurs ? `${image}${siteLink({ file, label: label!, target: target! }, targets)}` : whole!;
    });
  return text
    .split(codeFence)
    .map((part, index) => (index % 2 === 1 ? part.replace(diagram, '```text') : rewritten(part)))
    .join('');
}

/** Where the API reference shows an operation; that page is none of VitePress's, so its router must let the browser go there. */
function referencePlace(file: string, heading: string | undefined): string | undefined {
  const [, name] = /^docs\/reference\/http\/(public|webhooks)\.openapi\.yaml$/.exec(file) ?? [];
  if (name === undefined || !heading?.startsWith('/')) return undefined;
  return `/docs/api/${name === 'public' ? '' : '?webhooks'}#${heading}`;
}

function siteLink({ file, label, target }: { file: string; label: string; target: string }, targets: LinkTargets): string {
  const [path = '', heading] = target.split('#', 2);
  const leadsTo = normalize(join(dirname(file), decodeURIComponent(path))).replace(/\/$/, '');
  const page = targets.pages.get(leadsTo) ?? targets.pages.get(`${leadsTo}/README.md`);
  if (page !== undefined) return `[${label}](${page}${heading === undefined ? '' : `#${heading}`})`;
  const place = referencePlace(leadsTo, heading);
  if (place !== undefined) return `[${label}](${place}){target="_self"}`;
  const copy = targets.copied(leadsTo);
  if (copy !== undefined) return `[${label}](${copy})`;
  return label.includes(basename(leadsTo)) ? label : `${label} (\`${leadsTo}\`)`;
}

const quickstart = 'docs/tutorials/quickstart.md';
const kitsOfQuickstart = /(?:^- \[[^\]]+\]\(\/kits\/[a-z]+\/\).*\n)+/m;

/**
 * The quickstart with a tab per language in place of its list of kits: what the kit's own page says from its package to the first payment. `pages` have the
 * links of the site. Throws when a kit's page has no such part.
 */
export function withLanguages(page: Page, pages: readonly Page[]): Page {
  if (page.file !== quickstart) return page;
  const tabOf = ([, label, path]: RegExpMatchArray): string => {
    const [, steps] =
      /^## Install\n([^]*?## Register[^]*?)(?=^## )/m.exec(pages.find(each => each.path === path)?.text ?? '') ?? [];
    if (steps === undefined) throw new Error(`${quickstart}: the page ${path} has no part from Install to Register`);
    return `== ${label}\n\n${steps.replaceAll(/^## (.*)$/gm, '**$1**').trim()}\n`;
  };
  const tabs = (list: string): string => [...list.matchAll(/^- \[([^\]]+)\]\((\S+)\)/gm)].map(tabOf).join('\n');
  return { ...page, text: page.text.replace(kitsOfQuickstart, list => `:::tabs key:language\n${tabs(list)}\n:::\n`) };
}

/** The anchor of a heading, as code forges make it: lower case, spaces to dashes, punctuation dropped. The site's pages have the same ones. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** An entry of the side bar, in VitePress's shape. */
export interface SidebarItem {
  text: string;
  link?: string;
  items?: SidebarItem[];
  collapsed?: boolean;
}

const heading = /^(?=#{2,3} )/m;
const entry = /^\s*- \[([^\]]+)\]\(([^)\s]+)\)/gm;

/**
 * The side bar, read from the start page after its links are those of the site: `##` is a door, `###` a group in it, each item of a list that begins with a
 * link a page. Throws when a page is in no list, unless it lies in the folder of one that is.
 */
export function sidebarOf(startPage: string, pages: readonly Page[]): SidebarItem[] {
  const doors: SidebarItem[] = [];
  for (const section of sectionsOf(startPage)) {
    const items = [...section.text.matchAll(entry)].map(([, text, link]) => ({ text: text!.replaceAll('`', ''), link: link! }));
    if (section.isDoor) doors.push({ text: section.title, items });
    else doors.at(-1)!.items!.push({ text: section.title, collapsed: false, items });
  }
  const lost = unreachable(doors, pages);
  if (lost.length > 0) throw new Error(`docs/README.md: no list has ${lost.join(', ')}`);
  return doors;
}

/** The text below each heading of the second and third level. */
function sectionsOf(page: string): { title: string; isDoor: boolean; text: string }[] {
  const parts = page.split(heading).filter(part => part.startsWith('##'));
  return parts.map(text => ({ title: /^#+ (.+)/.exec(text)![1]!, isDoor: text.startsWith('## '), text }));
}

function unreachable(doors: readonly SidebarItem[], pages: readonly Page[]): string[] {
  const links = pathsIn(doors);
  const folders = [...links].filter(link => link.endsWith('/') && link !== '/');
  return pages
    .filter(({ path }) => path !== '/' && !links.has(path) && !folders.some(folder => path.startsWith(folder)))
    .map(({ file }) => file);
}

/** Paths of the pages that the items lead to. */
export function pathsIn(items: readonly SidebarItem[]): Set<string> {
  return new Set(
    items.flatMap(item => [...(item.link === undefined ? [] : [item.link.replace(/#.*/, '')]), ...pathsIn(item.items ?? [])]),
  );
}

/** The lists of the start page in the form of llmstxt.org: their links lead to the pages as Markdown. */
export function listForModels(startPage: string): string {
  const lists = startPage.slice(startPage.indexOf('\n## '));
  const absolute = (_: string, path: string, heading = ''): string =>
    `](/docs${path.startsWith('/files/') ? path : markdownOf(path)}${heading})`;
  return `# Paycode\n\n> ${summary}\n${lists.replaceAll(/\]\((\/(?!docs\/)[^)#\s]*)(#[^)\s]*)?\)/g, absolute)}`;
}

const summary =
  "Merchants sell with 10-digit payment codes. Paycode POSTs an encrypted notification to the merchant's server, and reverses the payment unless the server answers 200 within 45 seconds.";

/** The file of a page as Markdown, in the site. */
export function markdownOf(path: string): string {
  return path.endsWith('/') ? `${path}index.md` : `${path}.md`;
}

/** The start page: doors before the lists of docs/README.md. */
export function startPage(text: string): string {
  const body = text.replace(/^# .*\n/, '');
  return `---
layout: home
hero:
  name: Paycode
  text: Documentation
  tagline: A customer pays your 10-digit code. Your server answers 200 within 45 seconds, and the money is yours.
  actions:
    - theme: brand
      text: Quickstart
      link: /tutorials/quickstart
    - theme: alt
      text: Integrate
      link: /how-to/integrate
    - theme: alt
      text: API reference
      link: /api/
      target: _self
features:
  - title: Merchant or PSP
    details: Take payments, receive notifications, test every scenario, go live.
    link: "#merchant-or-psp"
    linkText: Integrate
  - title: Operator
    details: Run Paycode in containers or on Kubernetes, connect a payment core, rotate keys.
    link: "#operator"
    linkText: Operate
  - title: Developer of Paycode
    details: How it is built, why, and how it is tested.
    link: "#developer-of-paycode"
    linkText: Develop
---

${body}`;
}
