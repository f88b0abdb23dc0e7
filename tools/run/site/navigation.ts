import type { Page } from './pages.ts';

/** An entry of the side bar, in VitePress's shape. */
export interface SidebarItem {
  text: string;
  link?: string;
  items?: SidebarItem[];
  collapsed?: boolean;
}

const heading = /^(?=#{2,3} )/m;
const entry = /^\s*- \[([^\]]+)\]\(([^)\s#]+)\)/gm;

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
  const links = linksOf(doors);
  const folders = [...links].filter(link => link.endsWith('/') && link !== '/');
  return pages
    .filter(({ path }) => path !== '/' && !links.has(path) && !folders.some(folder => path.startsWith(folder)))
    .map(({ file }) => file);
}

function linksOf(items: readonly SidebarItem[]): Set<string> {
  return new Set(items.flatMap(item => [...(item.link === undefined ? [] : [item.link]), ...linksOf(item.items ?? [])]));
}

/** The start page: doors before the lists of docs/README.md. */
export function startPage(text: string): string {
  const body = text.replace(/^# .*\n/, '');
  return `---
layout: home
hero:
  name: Paycode
  text: Sell with ten digits
  tagline: A customer pays a code. Your server answers 200 within 45 seconds, or the customer gets the money back.
  actions:
    - theme: brand
      text: Your first payment
      link: /tutorials/first-payment
    - theme: alt
      text: Receive webhooks
      link: /tutorials/receive-webhooks
    - theme: alt
      text: API reference
      link: /api/
      target: _self
features:
  - title: Merchant or PSP
    details: Make codes, receive notifications, log in, try your receiver, go live.
    link: "#merchant-or-psp"
    linkText: Integrate
  - title: Operator
    details: Run Paycode in containers or on Kubernetes, connect a payment core, rotate keys, follow a runbook.
    link: "#operator"
    linkText: Operate
  - title: Developer of Paycode
    details: How it is built, why it is built so, what is promised, and what proves it.
    link: "#developer-of-paycode"
    linkText: Develop
---

${body}`;
}
