import { defineConfig, type MarkdownRenderer, type UserConfig } from 'vitepress';
import { tabsMarkdownPlugin } from 'vitepress-plugin-tabs';
import { anchorOf, pathsIn, type SidebarItem } from './pages.ts';
import { CodeColours } from './seal.ts';
import type { SiteThemeConfig } from './theme.ts';

/** Where the gateway serves the site. */
const base = '/docs/';

const anchorLine = /^(?:<a id="[\w-]+"><\/a>)+$/;

/** The only HTML that pages may have: a line of anchors, by which links find a section under another name than its heading. */
function keepAnchorLines(md: MarkdownRenderer): void {
  md.block.ruler.before('paragraph', 'anchor-line', (...[state, startLine, , silent]) => {
    const text = state.getLines(startLine, startLine + 1, state.blkIndent, false).trim();
    if (!anchorLine.test(text)) return false;
    if (silent) return true;
    state.push('html_block', '', 0).content = text;
    state.line = startLine + 1;
    return true;
  });
}

/** VitePress's configuration; `folder`: that of the pages. */
export function siteConfig({ folder, outDir, sidebar }: { folder: string; outDir: string; sidebar: SidebarItem[] }): UserConfig {
  const colours = new CodeColours();
  return defineConfig({
    base,
    outDir,
    cacheDir: `${folder}/.vitepress/cache`,
    lang: 'en',
    title: 'Paycode',
    description: 'Authentication, notification and settlement for QR payment codes',
    cleanUrls: true,
    // A platform that the reader runs.
    ignoreDeadLinks: [/^https?:\/\/localhost\b/],
    // Otherwise every page has a script of its own, and the security policy a hash for each.
    metaChunk: true,
    // Its way of switching without a transition writes a style element, which the security policy forbids.
    appearance: { disableTransition: false },
    head: [
      ['link', { rel: 'icon', href: 'data:,' }],
      ['link', { rel: 'stylesheet', href: `${base}code.css` }],
    ],
    markdown: {
      // Pages are written for readers of the project's files too: `<name>` is text, and headings have the anchors that code forges make.
      html: false,
      config: md => {
        keepAnchorLines(md);
        // Its types are of another version of markdown-it.
        tabsMarkdownPlugin(md as never);
      },
      anchor: { slugify: anchorOf },
      codeTransformers: [colours.transformer],
    },
    themeConfig: themeConfigOf(sidebar),
    vite: { build: { target: 'es2022', chunkSizeWarningLimit: 4_000 }, logLevel: 'warn' },
    buildEnd: () => colours.write(outDir),
  });
}

function themeConfigOf(sidebar: SidebarItem[]): SiteThemeConfig {
  return {
    search: { provider: 'local' },
    nav: [
      { text: 'Merchant or PSP', link: '/#merchant-or-psp' },
      // Not a page of VitePress: its router must let the browser go there.
      { text: 'API', link: '/api/', target: '_self' },
      { text: 'Operator', link: '/#operator' },
      { text: 'Developer', link: '/#developer-of-paycode' },
    ],
    sidebar,
    readers: sidebar.map(reader => [...pathsIn([reader])]),
    outline: { level: [2, 3] },
    editLink: { pattern: `${base}contributing#pages`, text: 'Edit this page' },
    externalLinkIcon: true,
  };
}
