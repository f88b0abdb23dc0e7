/**
 * Words in names that are common in any program and have no meaning of this domain. Every other word in more than three files is a domain
 * word.
 */
const generalWords = new Set(
  `answer app authorize body call caller change check client configuration connection consumer controller counted create
   database directory due email entity env error fact file filter guard http id in job kafka kind known limit list log login message
   metric module name new option outbound outcome owned page part partition password platform port ports post postgres
   mailer open opener proxy query queue read reader received record report request rule schema send sender service set setting sms source state store
   stored strategy token topic traced tracing transport url use`
    .split(/\s+/)
    .filter(word => word !== ''),
);

/** A word in the names of at most so many files needs no entry. */
const filesMax = 3;

const exported = /^export (?:abstract )?(?:class|interface|type) (\w+)/gm;
const row = /^\| ([^|]+?) \|/gm;

export const glossaryRules = ['word-not-in-glossary', 'word-twice-in-glossary'] as const;

export interface GlossaryProblem {
  rule: (typeof glossaryRules)[number];
  text: string;
}

/**
 * Differences between the glossary (a table whose first column has the words) and the names of classes, interfaces and types that the
 * source files export: a word in more than three files must be in the glossary, alone or as a part of an entry, and no entry may appear
 * twice.
 */
export function glossaryProblems(glossary: string, sources: Iterable<readonly [file: string, text: string]>): GlossaryProblem[] {
  const entries = [...glossary.matchAll(row)]
    .map(([, entry]) => entry!.toLowerCase())
    .filter(entry => !/^(word|-+)$/.test(entry));
  const explained = new Set(entries.flatMap(entry => entry.split(/[ ,]+/).map(singular)));
  const unknown = [...filesByWord(sources)].filter(
    ([word, files]) => files.size > filesMax && !generalWords.has(word) && !explained.has(word),
  );
  const doubled = new Set(entries.filter((entry, at) => entries.indexOf(entry) !== at));
  return [
    ...unknown.map(([word, { size }]) => ({
      rule: glossaryRules[0],
      text: `"${word}" stands in names of ${size} files and not in docs/glossary.md`,
    })),
    ...[...doubled].map(entry => ({ rule: glossaryRules[1], text: `"${entry}" stands twice in docs/glossary.md` })),
  ];
}

function filesByWord(sources: Iterable<readonly [string, string]>): Map<string, Set<string>> {
  const files = new Map<string, Set<string>>();
  for (const [file, text] of sources) {
    for (const [, name] of text.matchAll(exported)) {
      for (const word of wordsOf(name!)) files.set(word, (files.get(word) ?? new Set()).add(file));
    }
  }
  return files;
}

/** `OutboxRelays` gives outbox and relay. */
function wordsOf(name: string): string[] {
  return [...name.matchAll(/[A-Z]+(?![a-z])|[A-Z][a-z0-9]+/g)].map(([word]) => singular(word.toLowerCase()));
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') && !/(ss|us|sms|ports|postgres)$/.test(word) ? word.slice(0, -1) : word;
}
