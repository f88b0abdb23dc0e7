/** Text that no file of the project may carry, with what to do instead. */
interface Prohibition {
  pattern: RegExp;
  reason: string;
  /** Files that it applies to; default: all. */
  files?: RegExp;
  /** Permitted after a comment in the two lines above. */
  mayBeExplained?: boolean;
}

const code = /\.(ts|tsx|mjs|cjs|js)$/;

const prohibitions: Prohibition[] = [
  { pattern: /(?<![\w.-])\/(work|root|Users)\/[\w.-]+|(?<![\w.-])\/home\/[a-z]+\//, reason: 'absolute path of a machine' },
  {
    pattern: /https?:\/\/(?!([\w-]+\.)*example\.(com|org))[\w.-]*(registry|artifactory|nexus|verdaccio)[\w.-]*/,
    reason: 'host name of a package registry: any mirror must work',
  },
  { pattern: /"resolved": "https?:/, reason: 'the lock file records where a package came from', files: /package-lock\.json$/ },
  {
    pattern: /\b(it|test|describe)(\.concurrent)?\.only\b|\b(fit|fdescribe)\(/,
    reason: 'a focused test hides the others',
    files: code,
  },
  {
    pattern: /\b(it|test)\.(skip|todo)\(|\b(xit|xdescribe|xtest)\(/,
    reason: 'a skipped test needs a condition and a printed reason',
    files: code,
  },
  {
    pattern: /\.catch\(\(\w*\) => (\{\}|undefined|null)\)/,
    reason: 'an error is swallowed without a comment that says why',
    files: code,
    mayBeExplained: true,
  },
  {
    pattern: /\b(TODO|FIXME|HACK)\b/,
    reason: 'left for later: do it or write it down in docs',
    files: /\.(ts|mjs|cjs|js|ya?ml|sh|sql)$/,
  },
  {
    // At the start of a comment, a title, a list item, a cell or a string, or after the end of a sentence; questions are allowed.
    pattern:
      /(?:Who|What)(?:ever)?[ \t](?<=(?:^[ \t]*(?:\/\/|\/?\*{1,2}|#+|--|-|\d+\.)[ \t]*|[.:|][ \t]+|['"`>])\w+[ \t])(?!(?:[^.!?\n]|[.!](?=\S))*\?)/m,
    reason: 'a sentence begins with a headless Who or What: begin with the actor or the thing',
    files: /^(?!.*\/(migrations|api-versions|vectors|toolchain)\/).*\.(ts|tsx|mjs|cjs|md|ya?ml|sh|html|java|go|py|rb|php|rs|cs)$/,
  },
  { pattern: /^(<{7}|>{7}) /m, reason: 'unresolved merge conflict' },
];

/** Rules of this gate. */
export const forbiddenReasons = prohibitions.map(({ reason }) => reason);

export interface ForbiddenText {
  /** `file:line`. */
  place: string;
  reason: string;
}

/** Forbidden text in one file, each place once. */
export function forbiddenText(file: string, text: string): ForbiddenText[] {
  return prohibitions
    .filter(({ files }) => files === undefined || files.test(file))
    .flatMap(({ pattern, reason, mayBeExplained }) =>
      [...text.matchAll(new RegExp(pattern, pattern.flags + 'g'))]
        .map(({ index }) => text.slice(0, index).split('\n'))
        .filter(linesBefore => !(mayBeExplained && isExplained(linesBefore)))
        .map(linesBefore => ({ place: `${file}:${linesBefore.length}`, reason })),
    );
}

function isExplained(linesBefore: string[]): boolean {
  return linesBefore.slice(-3, -1).some(line => /(^|\s)\/\/ \S|\*\//.test(line));
}
