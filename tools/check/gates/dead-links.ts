import { dirname, join, normalize } from 'node:path';
import { anchorOf } from '../../run/site/anchor-of.ts';

const link = /\[[^\]]*\]\(([^)\s]+)\)/g;
const codeFence = /^```[\s\S]*?^```/gm;

/**
 * Relative links of a Markdown page whose file, folder or heading does not exist. `textOf` returns the text of a file, '' for a folder,
 * undefined for neither. Links to the Internet are not followed.
 */
export function deadLinks(file: string, text: string, textOf: (path: string) => string | undefined): string[] {
  return linksOf(file, text)
    .filter(({ path, heading }) => {
      const found = path === file ? text : textOf(path);
      return found === undefined || (heading !== undefined && !hasPlace(found, { path, heading }));
    })
    .map(({ target }) => `${file}: link to ${target} leads nowhere`);
}

/** Pages under docs/ that no other page links to, so that readers cannot find them. */
export function orphanPages(pages: readonly (readonly [file: string, text: string])[]): string[] {
  const linked = new Set(
    pages.flatMap(([file, text]) => linksOf(file, text).filter(({ path }) => path !== file)).map(({ path }) => path),
  );
  const all = pages.map(([file]) => file).filter(file => file.startsWith('docs/'));
  return all.filter(file => !linked.has(file) && !linked.has(dirname(file))).map(file => `${file}: no page links to it`);
}

interface Link {
  /** As written. */
  target: string;
  /** From the project's root. */
  path: string;
  heading: string | undefined;
}

function linksOf(file: string, text: string): Link[] {
  const targets = [...text.replace(codeFence, '').matchAll(link)].map(([, target]) => target!);
  return targets
    .filter(target => !/^[a-z][a-z0-9+.-]*:/i.test(target))
    .map(target => {
      const [path = '', heading] = target.split('#', 2);
      return { target, path: path === '' ? file : normalize(join(dirname(file), decodeURIComponent(path))), heading };
    });
}

/** A heading or anchor of a page, or `/<tag>/<operationId>` of an OpenAPI document, as the API reference names an operation. */
function hasPlace(text: string, { path, heading }: { path: string; heading: string }): boolean {
  if (!path.endsWith('.openapi.yaml')) return placesOf(text).has(heading);
  const [, tag = '', operationId = ''] = decodeURIComponent(heading).split('/');
  const lines = text.split('\n').map(line => line.trim());
  return lines.includes(`operationId: ${operationId}`) && lines.includes(`- ${tag}`);
}

function placesOf(text: string): Set<string> {
  const prose = text.replace(codeFence, '');
  const headings = [...prose.matchAll(/^#{1,6}\s+(.+?)\s*$/gm)].map(([, heading]) => anchorOf(heading!));
  const anchors = [...prose.matchAll(/<a id="([\w-]+)"><\/a>/g)].map(([, id]) => id!);
  return new Set([...headings, ...anchors]);
}
