import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The result of one seeded fault, or of one mutant by Stryker. */
export interface Outcome {
  area: string;
  /** Id of a seeded fault; `file:line mutator` of a mutant. */
  fault: string;
  result: 'CAUGHT' | 'SURVIVED' | 'NOT_JUDGED';
  /** CAUGHT: the test that failed. SURVIVED: what is wrong with the fault in place. NOT_JUDGED: why. */
  detail: string;
  /** Why it is known to survive. */
  known?: KnownReason;
}

export interface KnownReason {
  /** `redundant`: another guard prevents its effect, and it counts. Default: the mutant is equivalent, so it is no fault and does not count. */
  kind?: 'redundant';
  why: string;
}

type Say = (text: string) => void;

/** At least so many of the judged faults must be caught, in percent. */
const scoreMin = 97;
const header = ['area', 'judged', 'caught', 'survived', 'equivalent', 'not judged', 'score'];

/** Jest's own words for a test or hook that did not end in time: a busy machine causes that as well as a fault. */
export function isEndedByClock(message: string): boolean {
  return /Exceeded timeout of \d+ ms for a (test|hook)/.test(message);
}

/** Prints survivors with the reason, faults that could not be judged, and known survivors that a test catches now. */
export function reportOutcomes(outcomes: readonly Outcome[], say: Say): void {
  for (const { fault, result, detail, known } of outcomes) {
    const reason = known ? ` (${known.kind ?? 'equivalent'}: ${known.why})` : '';
    if (result === 'SURVIVED') say(`survived: ${fault}: ${detail}${reason}`);
    else if (result === 'NOT_JUDGED') say(`not judged: ${fault}: ${detail}`);
    else if (known) say(`caught, although it is listed as a known survivor (remove it from the list): ${fault}`);
  }
}

/** Prints the table and the verdict, and returns the exit code. */
export function reportVerdict(outcomes: readonly Outcome[], say: Say): 0 | 1 {
  const rows = [
    header,
    ...[...Map.groupBy(outcomes, ({ area }) => area), ['all', outcomes] as const].map(([area, own]) => rowOf(area, own)),
  ];
  const width = Math.max(...rows.map(([area]) => area!.length));
  for (const [area, ...cells] of rows) say(`${area!.padEnd(width)}${cells.map(cell => cell.padStart(12)).join('')}`);
  const problems = problemsOf(outcomes);
  say(problems.length === 0 ? 'mutation run: ok' : `mutation run: FAILED: ${problems.join('; ')}`);
  return problems.length === 0 ? 0 : 1;
}

function countsOf(outcomes: readonly Outcome[]) {
  const caught = outcomes.filter(({ result }) => result === 'CAUGHT').length;
  const survivors = outcomes.filter(({ result }) => result === 'SURVIVED');
  const equivalent = survivors.filter(({ known }) => known && !known.kind).length;
  const survived = survivors.length - equivalent;
  const judged = caught + survived;
  const score = judged === 0 ? undefined : (caught / judged) * 100;
  return { judged, caught, survived, equivalent, notJudged: outcomes.length - caught - survivors.length, score };
}

function rowOf(area: string, outcomes: readonly Outcome[]): string[] {
  const { judged, caught, survived, equivalent, notJudged, score } = countsOf(outcomes);
  const counts = [judged, caught, survived, equivalent, notJudged].map(String);
  return [area, ...counts, score === undefined ? '-' : `${score.toFixed(1)} %`];
}

function problemsOf(outcomes: readonly Outcome[]): string[] {
  const { score } = countsOf(outcomes);
  const unexplained = outcomes.filter(({ result, known }) => result === 'SURVIVED' && !known).length;
  return [
    ...(score === undefined ? ['nothing was judged'] : []),
    ...(score !== undefined && score < scoreMin ? [`${score.toFixed(1)} % caught, must be ${scoreMin} %`] : []),
    ...(unexplained > 0 ? [`${unexplained} survived without an explanation`] : []),
  ];
}

/** A defect that somebody could really make. It replaces one text; a test of the named specs must then fail. */
export interface SeededFault {
  area: string;
  id: string;
  /** The wrong behaviour in one sentence, with the requirement, decision, threat or invariant that it violates. */
  breaks: string;
  /** Path from the root of the repository. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  put: string;
  /** In the lists by default the specs beside the file. */
  specs: readonly string[];
  /** Its specs take seconds and were seen to catch it: the sample of CI may draw it. */
  sampled?: true;
  /** File of the list. */
  listed: string;
}

const lists = 'tools/prove/mutation/seeded';

/** Every committed fault: SQL, settings and wiring, which no mutation tool reaches or judges in useful time. */
export function seededFaults(root: string): SeededFault[] {
  return globSync(`${lists}/*.yaml`, { cwd: root })
    .sort()
    .flatMap(listed => {
      const areas = parse(readFileSync(join(root, listed), 'utf8')) as Record<
        string,
        (Omit<SeededFault, 'specs'> & Partial<SeededFault>)[]
      >;
      return Object.entries(areas).flatMap(([area, faults]) =>
        faults.map(fault => ({ ...fault, specs: fault.specs ?? specsBeside(root, fault.file), area, listed })),
      );
    });
}

/** `x.spec.ts` and `x.int.spec.ts` of `x.ts`, those that exist. */
function specsBeside(root: string, file: string): string[] {
  const specs = ['.spec.ts', '.int.spec.ts'].map(end => file.replace(/\.ts$/, end));
  return specs.filter(spec => existsSync(join(root, spec)));
}

/** Writes the fault into the checkout at `root` and returns the function that takes it out. @throws Error when it does not fit the code */
export function seedFault(root: string, fault: SeededFault): () => void {
  const problem = problemOf(root, fault);
  if (problem !== undefined) throw new Error(`fault ${fault.id}: ${problem}`);
  const path = join(root, fault.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.split(fault.find).join(fault.put));
  return () => writeFileSync(path, text);
}

/** One line for each fault that cannot be seeded in the checkout at `root`. */
export function staleFaults(root: string, faults: readonly SeededFault[]): string[] {
  return faults.flatMap(fault => {
    const problem = problemOf(root, fault);
    return problem === undefined ? [] : [`fault ${fault.id} of ${fault.listed}: ${problem}`];
  });
}

function problemOf(root: string, { file, find, put, specs }: SeededFault): string | undefined {
  const missing = [file, ...specs].find(path => !existsSync(join(root, path)));
  if (missing) return `there is no file ${missing}`;
  if (specs.length === 0) return 'it names no spec, and none lies beside its file';
  if (find === put) return 'it changes nothing';
  const count = readFileSync(join(root, file), 'utf8').split(find).length - 1;
  return count === 1 ? undefined : `its text occurs ${count} times in ${file}, must be once: ${find.trim().split('\n', 1)[0]}`;
}
