import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf, type SpecRun } from './judge-faults';
import { type Outcome, reportVerdict, type SeededFault, seededFaults, staleFaults } from './seeded-faults';
import { knownMutants, outcomesOf, strykerAreas } from './stryker/run-stryker';

const root = join(__dirname, '../../..');
const { projects } = jest.requireActual<{ projects: object }>('../../nx-projects.cjs');
const faults = seededFaults(root);

const fault: SeededFault = {
  ...{ area: 'rules', id: 'later', breaks: 'It comes later. (R-0)', listed: 'list.yaml' },
  ...{ file: 'rule.ts', find: 'now', put: 'later', specs: ['rule.spec.ts'] },
};

describe('the committed faults', () => {
  it('all fit the current code', () => {
    expect(staleFaults(root, faults)).toEqual([]);
  });

  it('have ids of their own and name what they violate', () => {
    expect(faults.length).toBeGreaterThan(200);
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
    expect(faults.filter(({ breaks }) => !/\([A-Z]+-[^()]+\)$/.test(breaks)).map(({ id }) => id)).toEqual([]);
  });
});

describe('judging a fault', () => {
  const passed = (test: string, spec = 'rule.spec.ts') => ({ spec, test, isPassed: true, message: '' });
  const failed = (test: string, message = 'no') => ({ spec: 'rule.spec.ts', test, isPassed: false, message });
  const late = failed('a', 'Error: thrown: "Exceeded timeout of 120000 ms for a test.');

  const a = passed('a');
  const b = passed('b');

  it.each<[rule: string, runs: [before: SpecRun, after: SpecRun], is: string]>([
    ['a test that passed before catches it', [[a, b], [failed('b')]], 'CAUGHT: rule.spec.ts: b: no'],
    ['a test that failed before does not', [[a, failed('b')], [failed('b')]], 'NOT_JUDGED: failed without'],
    ['it survives when every test passes', [[a], [a]], 'SURVIVED: It comes later. (R-0) (rule.ts)'],
    ['specs that do not end do not', [[a], 'TIMED_OUT'], 'NOT_JUDGED: its specs did not end'],
    ['a test that timed out does not', [[a, b], [late]], 'NOT_JUDGED: only a time limit'],
    [
      'a failure beside a timeout catches it',
      [
        [a, b],
        [late, failed('b')],
      ],
      'CAUGHT: rule.spec.ts: b: no',
    ],
  ])('%s', (_, runs, is) => {
    const { result, detail } = outcomeOf(fault, ...runs);
    expect(`${result}: ${detail}`).toContain(is);
  });
});

describe("Stryker's report", () => {
  const line = '  if (b < 1 || b < 2) c();';
  const mutant = (status: string, code: string, { replacement = 'false', statusReason = '' } = {}) => {
    const column = line.indexOf(code) + 1;
    const location = { start: { line: 2, column }, end: { line: 2, column: column + code.length } };
    return { mutatorName: 'ConditionalExpression', replacement, status: status as 'Killed', statusReason, location };
  };
  const known = { 'a.ts': [{ line: line.trim(), changes: ['ConditionalExpression: b < 1 => false'], why: 'b is 1 or more' }] };
  const outcomes = (...mutants: ReturnType<typeof mutant>[]) =>
    outcomesOf({ files: { 'a.ts': { source: `a();\n${line}`, mutants } } }, 'area', known);

  it.each([
    ['Killed', '', 'CAUGHT'],
    ['Killed', 'thrown: "Exceeded timeout of 30000 ms for a test.', 'NOT_JUDGED'],
    ['Survived', '', 'SURVIVED'],
    ['RuntimeError', '', 'NOT_JUDGED'],
    ['Timeout', '', 'NOT_JUDGED'],
  ])('a mutant with the status %s (%s) is %s', (status, statusReason, result) => {
    expect(outcomes(mutant(status, 'c()', { statusReason }))[0]!.result).toBe(result);
  });

  it('recognises a known survivor by its line, the replaced code and the replacement, and explains neither of two alike', () => {
    const isKnown = (...words: Parameters<typeof mutant>) => outcomes(mutant(...words))[0]!.known !== undefined;
    expect(isKnown('Survived', 'b < 1')).toBe(true);
    expect(isKnown('Survived', 'b < 2')).toBe(false);
    expect(isKnown('Survived', 'b < 1', { replacement: 'true' })).toBe(false);
    const twice = outcomes(mutant('Survived', 'b < 1'), mutant('Survived', 'b < 1'));
    expect(twice.map(outcome => outcome.known)).toEqual([undefined, undefined]);
  });
});

describe('the areas for Stryker and the known mutants', () => {
  /** Expands `a/{b,c}.ts` to `a/b.ts` and `a/c.ts`: every name must match a file. */
  const namesOf = (glob: string): string[] => {
    const [whole, names = ''] = /\{([^{}]*)\}/.exec(glob) ?? [];
    return whole === undefined ? [glob] : names.split(',').flatMap(name => namesOf(glob.replace(whole, name)));
  };

  it('name files and projects of the current code', () => {
    const names = strykerAreas.flatMap(({ files, sampled = [] }) => [...files, ...sampled]).flatMap(namesOf);
    expect(names.filter(name => globSync(name, { cwd: root }).length === 0)).toEqual([]);
    expect(strykerAreas.filter(({ project }) => !Object.hasOwn(projects, project))).toEqual([]);
  });

  it('include the rules of every service', () => {
    const domains = globSync('apps/*/src/**/domain', { cwd: root }).map(folder => folder.split('/').slice(0, 2).join('/'));
    const covered = strykerAreas.filter(({ files }) => files.some(file => file.includes('/domain/')));
    expect([...new Set(domains)].filter(app => !covered.some(({ project }) => project === app))).toEqual([]);
  });

  it('each name a line that occurs once in the current code', () => {
    const stale = Object.entries(knownMutants(root)).flatMap(([file, known]) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n');
      return known.filter(({ line }) => lines.filter(text => text.trim() === line).length !== 1);
    });
    expect(stale).toEqual([]);
  });
});

describe('the verdict of a run', () => {
  const outcome = (result: Outcome['result'], known?: Outcome['known']): Outcome => {
    return { area: 'rules', fault: 'x', result, detail: 'd', ...(known ? { known } : {}) };
  };
  const redundant = outcome('SURVIVED', { kind: 'redundant', why: 'another guard prevents it' });
  const equivalent = outcome('SURVIVED', { why: 'nothing differs' });
  const times = (count: number, of: Outcome) => Array.from({ length: count }, () => of);

  it.each([
    [0, '97 of 100 are caught', [...times(97, outcome('CAUGHT')), ...times(3, redundant)]],
    [1, 'fewer are caught', [...times(96, outcome('CAUGHT')), ...times(4, redundant)]],
    [0, 'equivalent mutants survive', [outcome('CAUGHT'), ...times(9, equivalent)]],
    [1, 'one survivor has no explanation', [...times(99, outcome('CAUGHT')), outcome('SURVIVED')]],
    [1, 'nothing was judged', [outcome('NOT_JUDGED')]],
  ])('is the exit code %i when %s', (code, _, outcomes) => {
    expect(reportVerdict(outcomes, () => undefined)).toBe(code);
  });
});
