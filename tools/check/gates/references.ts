/** Places that texts name: links, paths and ids of the specification. Each must exist. */
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

/** Pages that define ids, and what a definition looks like there: the first group is the id. */
const definitions: readonly [page: RegExp, pattern: RegExp, prefix: string][] = [
  [/^docs\/specification\/requirements\.md$/, /^(?:- |\| )(R-[\d.]+-\d+)\b/gm, ''],
  [/^docs\/specification\/decisions\.md$/, /^(?:- |\| )(A-\d+)\b/gm, ''],
  [/^docs\/specification\/threats\.md$/, /^(?:- |\| )(T-\d+)\b/gm, ''],
  [/^docs\/specification\/settlement-protocol\.md$/, /^(?:- \*\*|\| )([PF]-[\w.]+(?:-\d+'?)?)/gm, ''],
  [/^docs\/specification\/settlement-protocol\.md$/, /^### (\d+\.\d+) /gm, 'P-'],
];
const id = String.raw`(?:R-\d+(?:\.\d+)*-\d+|A-\d+|T-\d\d|P-(?:[TI]\d+|\d+\.\d+(?:-\d+'?)?)|F-\d+)`;
const cited = new RegExp(String.raw`(?<![\w./-])${id}(?![\w-])`, 'g');
const codes = /\.(?:ts|pml)$/;
const tests = /\.(?:spec|conformance|compat|fault|manifest)\.ts$/;
/** Older forms of ids, which do not name their page. */
const unprefixed = /(?:\/\/|\*|\(|, )[^'"`\n]*?(?<![\w./<[{-])(?:T[1-9]|I\d{1,2}|row \d+|fault cases? \d+)(?![\w.<(-])/g;
const idFirst = new RegExp(String.raw`^\s*(?:\/\/|\/?\*\*?|--) +${id}(?:(?:, | and )${id})*[,:] `, 'gm');
const title = /(?<![\w.])(?:it|test)(?:\.each\([\s\S]{0,2000}?\))?\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g;
const idsAtMost = 2;

/** How often each id is defined. @param texts every file of the project */
export function definedIds(texts: ReadonlyMap<string, string>): Map<string, number> {
  const found = new Map<string, number>();
  for (const name of [...texts].flatMap(([file, text]) => idsDefinedIn(file, text))) found.set(name, (found.get(name) ?? 0) + 1);
  return found;
}

function idsDefinedIn(file: string, text: string): string[] {
  return definitions
    .filter(([page]) => page.test(file))
    .flatMap(([, pattern, prefix]) => [...text.matchAll(pattern)].map(([, name]) => prefix + name!));
}

/** Ids that a page defines twice. */
export function doubleIds(defined: ReadonlyMap<string, number>): string[] {
  return [...defined]
    .filter(([, times]) => times > 1)
    .map(([name, times]) => `docs/specification: ${name} is defined ${times} times`);
}

/**
 * Problems of the ids that one file cites. A page of docs/specification must define each. In code the words come first and the ids follow;
 * the name of a test has two at most.
 */
export function citedIdProblems(file: string, text: string, defined: ReadonlyMap<string, number>): string[] {
  const unknown = [...text.matchAll(cited)]
    .filter(([name]) => !defined.has(name))
    .map(match => [match, `no page defines ${match[0]}`] as const);
  const code = codes.test(file) ? codeProblems(text) : [];
  const titles = tests.test(file) ? titleProblems(text) : [];
  return [...unknown, ...code, ...titles].map(([{ index }, problem]) => `${file}:${lineOf(text, index)}: ${problem}`);
}

type Problem = readonly [place: { index: number }, problem: string];

function codeProblems(text: string): Problem[] {
  return [
    ...[...text.matchAll(unprefixed)].map((match): Problem => [
      match,
      `an id says its page (P-T8, P-I4, P-1.2-8, F-45): ${match[0].slice(-60)}`,
    ]),
    ...[...text.matchAll(idFirst)].map((match): Problem => [match, `words come first, ids behind them: ${match[0].trim()}`]),
  ];
}

function titleProblems(text: string): Problem[] {
  return [...text.matchAll(title)].flatMap((match): Problem[] => {
    const name = match[2]!;
    const ids = name.match(cited) ?? [];
    if (ids.length > idsAtMost)
      return [[match, `a test name carries ${idsAtMost} ids at most, the describe around it the others: ${name}`]];
    return new RegExp(`^(?:regression[,:] )?${id}`).test(name) ? [[match, `words come first, ids behind them: ${name}`]] : [];
  });
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
