import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf, type SpecRun, testEnds } from './judge-faults';
import { type Outcome, reportVerdict, type SeededFault, seededFaults, seedFault, staleFaults } from './seeded-faults';
import { knownMutants, outcomesOf, strykerAreas } from './stryker/run-stryker';

const root = join(__dirname, '../../..');
const faults = seededFaults(root);

const fault: SeededFault = {
  ...{ area: 'rules', id: 'later', breaks: 'It comes later. (R-0)', listed: 'list.yaml' },
  ...{ file: 'rule.ts', find: 'now', put: 'later', specs: ['rule.spec.ts'] },
};

describe('seeding faults', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paycode-seeding-'));
    writeFileSync(join(folder, 'rule.ts'), 'do it now;\n');
    writeFileSync(join(folder, 'rule.spec.ts'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const text = () => readFileSync(join(folder, 'rule.ts'), 'utf8');

  it('replaces the one text, and takes the fault out again', () => {
    const takeOut = seedFault(folder, fault);
    expect(text()).toBe('do it later;\n');
    takeOut();
    expect(text()).toBe('do it now;\n');
  });

  it.each(['do it;\n', 'now, and now\n'])('refuses a text that does not occur once in the file: %j', changed => {
    writeFileSync(join(folder, 'rule.ts'), changed);
    expect(() => seedFault(folder, fault)).toThrow(`its text occurs ${changed.split('now').length - 1} times in rule.ts`);
    expect(text()).toBe(changed);
  });
});

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

  it.each<{ rule: string; before: SpecRun; after: SpecRun; is: string }>([
    { rule: 'a test that passed before catches it', before: [a, b], after: [failed('b')], is: 'CAUGHT: rule.spec.ts: b: no' },
    {
      rule: 'a test that failed before does not',
      before: [a, failed('b')],
      after: [failed('b')],
      is: 'NOT_JUDGED: failed without',
    },
    {
      rule: 'specs that fail anyway do not',
      before: [failed('b')],
      after: [failed('b')],
      is: 'NOT_JUDGED: its specs fail without',
    },
    { rule: 'it survives when every test passes', before: [a], after: [a], is: 'SURVIVED: It comes later. (R-0) (rule.ts)' },
    { rule: 'specs that do not end without it do not', before: 'TIMED_OUT', after: [a], is: 'NOT_JUDGED: its specs do not end' },
    { rule: 'specs that do not end with it do not', before: [a], after: 'TIMED_OUT', is: 'NOT_JUDGED: its specs did not end' },
    { rule: 'a test that timed out does not', before: [a, b], after: [late], is: 'NOT_JUDGED: only a time limit' },
    {
      rule: 'a failure beside a timeout catches it',
      before: [a, b],
      after: [late, failed('b')],
      is: 'CAUGHT: rule.spec.ts: b: no',
    },
  ])('$rule', ({ before, after, is }) => {
    const { result, detail } = outcomeOf(fault, before, after);
    expect(`${result}: ${detail}`).toContain(is);
  });

  it('takes a file that does not load for a failed test of its own', () => {
    const file = { name: '/copy/rule.spec.ts', message: '● failed to run\n\n  no such module', status: 'failed' as const };
    expect(testEnds({ testResults: [{ ...file, assertionResults: [] }] }, '/copy')).toEqual([
      { spec: 'rule.spec.ts', test: 'the file as a whole', isPassed: false, message: 'no such module' },
    ]);
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
    ['NoCoverage', '', 'SURVIVED'],
    ['RuntimeError', '', 'NOT_JUDGED'],
    ['Timeout', 'Hit limit reached (501/500)', 'CAUGHT'],
    ['Timeout', '', 'NOT_JUDGED'],
  ])('a mutant with the status %s (%s) is %s', (status, statusReason, result) => {
    expect(outcomes(mutant(status, 'c()', { statusReason }))[0]!.result).toBe(result);
  });

  it('does not count mutants that are left out on purpose', () => {
    expect(outcomes(mutant('Ignored', 'c()'))).toEqual([]);
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
    expect(strykerAreas.filter(({ project }) => !existsSync(join(root, project, 'project.json')))).toEqual([]);
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
