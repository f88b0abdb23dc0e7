import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Of docs/specification/settlement-protocol.md. */
const invariants = 14;
const pages = ['requirements', 'decisions', 'threats'];

/** Every id of docs/specification: requirements, decisions, threats and the protocol's invariants. */
export function specifiedIds(root: string): string[] {
  const texts = pages.map(page => readFileSync(join(root, 'docs/specification', `${page}.md`), 'utf8'));
  const listed = texts.flatMap(text => [...text.matchAll(/^(?:- |\| )(R-[\d.]+-\d+|A-\d+|T-\d+)\b/gm)].map(([, id]) => id!));
  return [...listed, ...Array.from({ length: invariants }, (_, index) => `P-I${index + 1}`)];
}

/**
 * Ids that a text spells out. It ignores the ends of a range (`P-I1-P-I13`, `R-2.1-1..5`), because the ids between are not named, and
 * shortened entries of a list (`R-2.1-1, 2` names R-2.1-1 only).
 */
export function idsIn(text: string): string[] {
  return text.match(/(?<![\w.-])(R-[\d.]+-\d+|A-\d+|T-\d+|P-I\d+)(?![\w-]|\.\.|\.\d| to )/g) ?? [];
}

/** The parts of one test in a report of Jest (`--json`) that this file reads. */
interface ReportedTest {
  fullName: string;
  status: string;
  /** Assertions that held. */
  numPassingAsserts?: number;
}

interface Report {
  testResults: { name: string; assertionResults: ReportedTest[] }[];
}

/** A test with the id in its name, and its result. */
export interface Evidence {
  /** File of the test, within the workspace. */
  file: string;
  outcome: 'shown' | 'failed' | 'not run' | 'without an assertion';
}

/** Every test that names an id, by id. */
export function evidenceIn(reports: readonly Report[], root: string): Map<string, Evidence[]> {
  const found = new Map<string, Evidence[]>();
  for (const { name, assertionResults } of reports.flatMap(({ testResults }) => testResults)) {
    const file = name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name;
    for (const test of assertionResults) {
      const evidence: Evidence = { file, outcome: outcomeOf(test) };
      for (const id of new Set(idsIn(test.fullName))) found.set(id, [...(found.get(id) ?? []), evidence]);
    }
  }
  return found;
}

function outcomeOf({ status, numPassingAsserts = 0 }: ReportedTest): Evidence['outcome'] {
  if (status === 'failed') return 'failed';
  if (status !== 'passed') return 'not run';
  return numPassingAsserts > 0 ? 'shown' : 'without an assertion';
}

/** Tests that only read declarations or files and run no code that decides. */
const kinds: [kind: string, file: RegExp][] = [
  ['declared shapes and golden samples', /^libs\/dto\//],
  [
    'files that are read, nothing that runs',
    /^tools\/(check\/(manifests|docs|gates)|run\/(images|compose))\/|\/observability-files-/,
  ],
];
const running = 'running code';

const kindOf = (file: string): string => kinds.find(([, pattern]) => pattern.test(file))?.[0] ?? running;

export interface Verdict {
  id: string;
  isShown: boolean;
  /** Why there is no proof, or why the proof is weak; undefined for a good proof. */
  remark?: string;
}

/** Result for an id. `citedIn`: files that mention it anywhere. */
export function verdictOn(id: string, evidence: readonly Evidence[], citedIn: readonly string[]): Verdict {
  const shown = evidence.filter(({ outcome }) => outcome === 'shown');
  if (shown.length === 0) return { id, isShown: false, remark: whyNot(evidence, citedIn) };
  const found = new Set(shown.map(({ file }) => kindOf(file)));
  const [kind] = found;
  if (found.size === 1 && kind !== running) return { id, isShown: true, remark: `only by ${kind}` };
  return shown.length === 1 ? { id, isShown: true, remark: `only by one test, ${shown[0]!.file}` } : { id, isShown: true };
}

function whyNot(evidence: readonly Evidence[], citedIn: readonly string[]): string {
  if (evidence.length > 0) return evidence.map(({ file, outcome }) => `${outcome}: ${file}`).join('; ');
  return citedIn.length > 0 ? `in the name of no test that ran; mentioned in ${citedIn.join(', ')}` : 'named by no test';
}

export interface ReportFile {
  file: string;
  report: Report;
  /** Hours since it was written. */
  ageHours: number;
}

/** Reports of Jest in these files and folders. @throws Error when there is no report, or a file is not a report */
export function readReports(paths: readonly string[]): ReportFile[] {
  const files = paths.flatMap(path => {
    if (!existsSync(path)) return [];
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path)
      .filter(name => name.endsWith('.json'))
      .map(name => join(path, name));
  });
  if (files.length === 0)
    throw new Error(`no report of a test run in ${paths.join(', ')}: run npm test and the other test commands first`);
  return files.map(readReport);
}

function readReport(file: string): ReportFile {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  if (!Array.isArray(report.testResults)) throw new Error(`${file} is not a report of Jest: it has no testResults`);
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tests.some(({ status }) => status === 'passed') && tests.every(({ numPassingAsserts }) => numPassingAsserts === undefined))
    throw new Error(`${file} does not say how many assertions held (numPassingAsserts)`);
  return { file, report, ageHours: (Date.now() - statSync(file).mtimeMs) / 3_600_000 };
}
