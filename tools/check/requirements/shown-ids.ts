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

/** Why nothing proves an id; undefined when a test does. */
export function problemOf(evidence: readonly Evidence[]): string | undefined {
  if (evidence.some(({ outcome }) => outcome === 'shown')) return undefined;
  return evidence.map(({ file, outcome }) => `${outcome}: ${file}`).join('; ') || 'in the name of no test that ran';
}

/** Reports of Jest in these files and folders. @throws Error when there is no report, or a file is not a report */
export function readReports(paths: readonly string[]): Report[] {
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

function readReport(file: string): Report {
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  if (!Array.isArray(report.testResults)) throw new Error(`${file} is not a report of Jest: it has no testResults`);
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tests.some(({ status }) => status === 'passed') && tests.every(({ numPassingAsserts }) => numPassingAsserts === undefined))
    throw new Error(`${file} does not say how many assertions held (numPassingAsserts)`);
  return report;
}
