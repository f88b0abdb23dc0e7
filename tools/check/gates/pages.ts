import { dirname, join, normalize } from 'node:path';
import { anchorOf } from '../../run/site/pages.ts';

const link = /\[[^\]]*\]\(([^)\s]+)\)/g;
const codeFence = /^```[\s\S]*?^```/gm;
const quotedPath = /`((?:apps|libs|tools|docs|docker|k8s|kits)\/[\w./-]+)`/g;

/** Rules of this gate. */
export const pageRules = ['dead-link', 'missing-path'] as const;

export interface PageProblem {
  rule: (typeof pageRules)[number];
  text: string;
}

/**
 * Relative links of a Markdown page whose file, folder or heading does not exist, and paths in back quotes that do not. `texts` has every file
 * of the project; links to the Internet are not followed.
 */
export function pageProblems(file: string, texts: ReadonlyMap<string, string>): PageProblem[] {
  const prose = texts.get(file)!.replace(codeFence, '');
  const targets = [...prose.matchAll(link)].map(([, target]) => target!).filter(target => !/^[a-z][a-z0-9+.-]*:/i.test(target));
  const paths = [...prose.matchAll(quotedPath)].map(([, path]) => path!);
  return [
    ...targets
      .filter(target => !leadsSomewhere(file, target, texts))
      .map((target): PageProblem => ({ rule: 'dead-link', text: `${file}: link to ${target} leads nowhere` })),
    ...paths
      .filter(path => !exists(path, texts))
      .map((path): PageProblem => ({ rule: 'missing-path', text: `${file}: no file or folder ${path}` })),
  ];
}

/** A file, or a folder with files. */
function exists(path: string, texts: ReadonlyMap<string, string>): boolean {
  const name = path.replace(/\/$/, '');
  return texts.has(name) || [...texts.keys()].some(file => file.startsWith(`${name}/`));
}

function leadsSomewhere(file: string, target: string, texts: ReadonlyMap<string, string>): boolean {
  const [given = '', heading] = target.split('#', 2);
  const path = given === '' ? file : normalize(join(dirname(file), decodeURIComponent(given)));
  if (heading === undefined) return path === '.' || exists(path, texts);
  return hasPlace(texts.get(path) ?? '', path, heading);
}

/** A heading or anchor of a page, or `/<tag>/<operationId>` of an OpenAPI document, as the API reference names an operation. */
function hasPlace(text: string, path: string, heading: string): boolean {
  if (path.endsWith('.openapi.yaml')) {
    const [, tag = '', operationId = ''] = decodeURIComponent(heading).split('/');
    return new RegExp(String.raw`operationId: ${operationId}\n +tags: \[ "?${tag}"? \]\n`).test(text);
  }
  const prose = text.replace(codeFence, '');
  const headings = [...prose.matchAll(/^#{1,6}\s+(.+?)\s*$/gm)].map(([, words]) => anchorOf(words!));
  return headings.includes(heading) || prose.includes(`<a id="${heading}"></a>`);
}
