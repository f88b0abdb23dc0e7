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
