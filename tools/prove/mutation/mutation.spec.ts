import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf } from './planted/judge-all';
import { knownSurvivors } from './planted/known-survivors';
import { plant, staleFaults } from './planted/plant';
import type { PlantedFault } from './planted/planted-fault';
import { faultAreas, listFileOf } from './planted/planted-faults';
import { type SpecRun, testEnds } from './planted/run-specs';
import { reachesTemplates } from './planted/template-databases';
import type { Outcome } from './report/outcome';
import { reportOutcomes, reportVerdict } from './report/print-report';
import { countsOf } from './report/table';
import { drawn, seedOf } from './sample';
import { strykerAreas } from './stryker/areas';
import { knownMutants } from './stryker/known-mutants';
import { outcomesOf } from './stryker/mutants';

const root = join(__dirname, '../../..');
const faults = faultAreas.flatMap(area => area.faults);

const fault: PlantedFault = {
  id: 'later',
  breaks: 'It comes later.',
  against: 'R-0',
  file: 'rule.ts',
  find: 'now',
  put: 'later',
  specs: ['rule.spec.ts'],
};

describe('planting faults', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'paycode-planting-'));
    mkdirSync(join(folder, 'lists'));
    writeFileSync(join(folder, 'rule.ts'), 'do it now;\n');
    writeFileSync(join(folder, 'rule.spec.ts'), '');
    writeFileSync(join(folder, 'list.ts'), "\n  id: 'later',\n");
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const text = () => readFileSync(join(folder, 'rule.ts'), 'utf8');
  const stale = (changed: Partial<PlantedFault> = {}) =>
    staleFaults(folder, [{ ...fault, ...changed }], () => join(folder, 'list.ts'));

  it('replaces the one text, and takes the fault out again', () => {
    const takeOut = plant(folder, fault);
    expect(text()).toBe('do it later;\n');
    takeOut();
    expect(text()).toBe('do it now;\n');
  });

  it.each(['do it;\n', 'now, and now\n'])('refuses a text that does not stand in the file once: %j', changed => {
    writeFileSync(join(folder, 'rule.ts'), changed);
    expect(() => plant(folder, fault)).toThrow(`its text stands ${changed.split('now').length - 1} times in rule.ts`);
    expect(text()).toBe(changed);
  });

  it('names the line of the list to update when the code has moved away', () => {
    expect(stale()).toEqual([]);
    writeFileSync(join(folder, 'rule.ts'), 'do it\n');
    expect(stale()).toEqual(['fault later: its text stands 0 times in rule.ts, must be once: now (update list.ts:2)']);
    expect(stale({ specs: ['gone.spec.ts'] })).toEqual(['fault later: there is no file gone.spec.ts (update list.ts:2)']);
    expect(stale({ find: 'do', put: 'do' })).toEqual(['fault later: it changes nothing (update list.ts:2)']);
  });
});

describe('the committed faults', () => {
  it('can all be planted in the current code', () => {
    expect(staleFaults(root, faults, ({ id }) => join(root, listFileOf(id)))).toEqual([]);
  });

  it('have ids of their own, and every known survivor is one of them', () => {
    const ids = faults.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Object.keys(knownSurvivors).filter(id => !ids.includes(id))).toEqual([]);
  });

  it('are drawn for CI only if the last full run caught them', () => {
    const sampled = faults.filter(({ isSampled }) => isSampled);
    expect(sampled.filter(({ id }) => knownSurvivors[id])).toEqual([]);
  });
});

describe('judging a fault', () => {
  const end = (test: string, isPassed: boolean, spec = 'rule.spec.ts') => ({
    spec,
    test,
    isPassed,
    message: isPassed ? '' : 'no',
  });
  const ran = (...ends: ReturnType<typeof end>[]): SpecRun => ({ kind: 'RAN', ends });
  const resultOf = (before: SpecRun, withFault: SpecRun) => {
    const { result, detail } = outcomeOf({ area: 'rules', fault }, before, withFault);
    return `${result}: ${detail}`;
  };

  it('catches by a test that was green without the fault, and says which', () => {
    expect(resultOf(ran(end('a', true), end('b', true)), ran(end('a', true), end('b', false)))).toBe(
      'CAUGHT: rule.spec.ts: b: no',
    );
  });

  it('is not caught by a test that is red anyway', () => {
    expect(resultOf(ran(end('a', true), end('b', false)), ran(end('a', true), end('b', false)))).toBe(
      'NOT_JUDGED: red without the fault too: b',
    );
    expect(resultOf(ran(end('b', false)), ran(end('b', false)))).toBe('NOT_JUDGED: its specs are red without the fault too');
  });

  it('survives when everything stays green, and says what is broken', () => {
    expect(resultOf(ran(end('a', true)), ran(end('a', true)))).toBe('SURVIVED: It comes later. (R-0, rule.ts)');
  });

  it('gives no verdict when the specs do not end', () => {
    expect(resultOf({ kind: 'TIMED_OUT' }, ran(end('a', true)))).toMatch(/^NOT_JUDGED/);
    expect(resultOf(ran(end('a', true)), { kind: 'TIMED_OUT' })).toMatch(/^NOT_JUDGED/);
  });

  it('is not caught by a test that only timed out, and says so; another red test catches it', () => {
    const late = { ...end('a', false), message: 'Error: thrown: "Exceeded timeout of 120000 ms for a test.' };
    const green = ran(end('a', true), end('b', true));
    expect(resultOf(green, ran(late, end('b', true)))).toBe('NOT_JUDGED: only the clock ended: a');
    expect(resultOf(green, ran(late, end('b', false)))).toBe('CAUGHT: rule.spec.ts: b: no');
  });

  it('takes a file that does not load for a failed test of its own', () => {
    const assertion = { fullName: 'a', status: 'passed', failureMessages: [] };
    const file = { name: '/copy/rule.spec.ts', message: '', status: 'passed' as const, assertionResults: [assertion] };
    const broken = {
      ...file,
      status: 'failed' as const,
      message: '  ● Test suite failed to run\n\n  no such module',
      assertionResults: [],
    };
    expect(testEnds({ testResults: [file] }, '/copy').map(({ isPassed }) => isPassed)).toEqual([true, true]);
    expect(testEnds({ testResults: [broken] }, '/copy')).toEqual([
      { spec: 'rule.spec.ts', test: 'the file as a whole', isPassed: false, message: 'no such module' },
    ]);
  });

  it('lets specs migrate again when a migration is broken', () => {
    expect(reachesTemplates({ file: 'apps/x/migrations/1-create.ts' })).toBe(true);
    expect(reachesTemplates({ file: 'apps/x/src/x.sql.ts' })).toBe(false);
  });
});

describe("Stryker's report", () => {
  const line = '  if (b < 1 || b < 2) c();';
  const mutant = (status: string, code: string, { replacement = 'false', statusReason = '' } = {}) => {
    const column = line.indexOf(code) + 1;
    return {
      mutatorName: 'ConditionalExpression',
      replacement,
      status: status as 'Killed',
      statusReason,
      location: { start: { line: 2, column }, end: { line: 2, column: column + code.length } },
    };
  };
  const known = {
    file: 'a.ts',
    line: line.trim(),
    changes: ['ConditionalExpression: b < 1 => false'],
    kind: 'equivalent' as const,
    why: 'b is 1 or more',
  };
  const outcomes = (mutants: ReturnType<typeof mutant>[], source = `a();\n${line}`) =>
    outcomesOf({ files: { 'a.ts': { source, mutants } } }, 'area', [known]);

  it('counts killed mutants as caught, untested ones as survived, and ignored ones not at all', () => {
    const all = ['Killed', 'Survived', 'NoCoverage', 'RuntimeError', 'Ignored'];
    const results = outcomes(all.map(status => mutant(status, 'c()'))).map(({ result }) => result);
    expect(results).toEqual(['CAUGHT', 'SURVIVED', 'SURVIVED', 'NOT_JUDGED']);
  });

  it('counts a loop stopped by its count as caught, and nothing that timed out', () => {
    const [counted, clocked] = outcomes([
      mutant('Timeout', 'c()', { statusReason: 'Hit limit reached (501/500)' }),
      mutant('Timeout', 'c()'),
    ]);
    expect(counted).toMatchObject({ result: 'CAUGHT' });
    expect(clocked).toMatchObject({ result: 'NOT_JUDGED' });
    const statusReason = 'thrown: "Exceeded timeout of 30000 ms for a test.';
    expect(outcomes([mutant('Killed', 'c()', { statusReason })])).toMatchObject([{ result: 'NOT_JUDGED' }]);
  });

  it('recognises a survivor by its line, the replaced code and the replacement, wherever the line is', () => {
    const isKnown = (...words: Parameters<typeof mutant>) => outcomes([mutant(...words)])[0]!.known !== undefined;
    expect(isKnown('Survived', 'b < 1')).toBe(true);
    expect(isKnown('Survived', 'b < 2')).toBe(false);
    expect(isKnown('Survived', 'b < 1 || b < 2')).toBe(false);
    expect(isKnown('Survived', 'b < 1', { replacement: 'true' })).toBe(false);
  });

  it('recognises neither of two mutants that the list cannot distinguish', () => {
    const again = { ...mutant('Survived', 'b < 1') };
    again.location = { start: { ...again.location.start, line: 3 }, end: { ...again.location.end, line: 3 } };
    const found = outcomes([mutant('Survived', 'b < 1'), again], `a();\n${line}\n${line}`);
    expect(found.map(outcome => outcome.known)).toEqual([undefined, undefined]);
  });
});

describe('the areas for Stryker', () => {
  /** Expands `a/{b,c}.ts` to `a/b.ts` and `a/c.ts`: every name must match a file, and not only one of them. */
  const namesOf = (glob: string): string[] => {
    const [whole, names = ''] = /\{([^{}]*)\}/.exec(glob) ?? [];
    return whole === undefined ? [glob] : names.split(',').flatMap(name => namesOf(glob.replace(whole, name)));
  };

  it('name files and projects of the current code', () => {
    const names = strykerAreas.flatMap(({ files, sampled }) => [...files, ...sampled]).flatMap(namesOf);
    expect(names.filter(name => globSync(name, { cwd: root }).length === 0)).toEqual([]);
    expect(strykerAreas.filter(({ project }) => !existsSync(join(root, project, 'project.json')))).toEqual([]);
  });

  it('have the rules of every service', () => {
    const domains = globSync('apps/*/src/**/domain', { cwd: root }).map(folder => folder.split('/')[1]!);
    const covered = strykerAreas
      .filter(({ files }) => files.some(file => file.includes('/domain/')))
      .map(({ project }) => project);
    expect([...new Set(domains)].map(app => `apps/${app}`).filter(project => !covered.includes(project))).toEqual([]);
  });
});

describe('the known mutants', () => {
  it('exist in the current code', () => {
    const stale = knownMutants.filter(({ file, line }) => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n');
      return lines.filter(text => text.trim() === line).length !== 1;
    });
    expect(stale).toEqual([]);
  });
});

describe('the report of a run', () => {
  const outcome = (result: Outcome['result'], known?: Outcome['known']): Outcome => ({
    area: 'rules',
    fault: 'x',
    result,
    detail: 'd',
    ...(known ? { known } : {}),
  });
  const times = (count: number, of: Outcome) => Array.from({ length: count }, () => of);
  const redundant = outcome('SURVIVED', { kind: 'redundant', why: 'another guard holds' });
  const equivalent = outcome('SURVIVED', { kind: 'equivalent', why: 'nothing differs' });
  const report = (...outcomes: Outcome[]) => {
    const lines: string[] = [];
    const say = (line: string) => lines.push(line);
    reportOutcomes(outcomes, say);
    return { code: reportVerdict(outcomes, say), text: lines.join('\n') };
  };

  it('does not count an equivalent mutant', () => {
    expect(countsOf([equivalent]).all).toMatchObject({ judged: 0, equivalent: 1 });
  });

  it('passes from 97 % on, and fails below', () => {
    expect(report(...times(97, outcome('CAUGHT')), ...times(3, redundant)).code).toBe(0);
    const failed = report(...times(96, outcome('CAUGHT')), ...times(4, redundant));
    expect(failed.code).toBe(1);
    expect(failed.text).toContain('96.0 % caught, must be 97 %');
  });

  it('fails for one survivor that nobody explained, whatever the score, and names it', () => {
    const { code, text } = report(...times(99, outcome('CAUGHT')), outcome('SURVIVED'));
    expect(code).toBe(1);
    expect(text).toContain('survived: x: d');
    expect(text).toContain('1 survived without an explanation');
  });

  it('gives the reason of a known survivor, and reports one of the list that is now caught', () => {
    expect(report(outcome('CAUGHT'), equivalent).text).toContain('(equivalent: nothing differs)');
    expect(report({ ...redundant, result: 'CAUGHT' }).text).toContain('take it out');
  });

  it('fails when nothing was judged', () => {
    expect(report(outcome('NOT_JUDGED')).code).toBe(1);
  });
});

describe('the sample', () => {
  it('is the same for the same seed, has no fault twice, and differs between seeds', () => {
    const items = Array.from({ length: 50 }, (_, at) => at);
    expect(drawn(items, 4, 7)).toEqual(drawn(items, 4, 7));
    expect(new Set(drawn(items, 50, 7)).size).toBe(50);
    expect(new Set([1, 2, 3, 4, 5].map(seed => drawn(items, 4, seed).join())).size).toBeGreaterThan(1);
    expect(drawn([1, 2], 4, 7).sort()).toEqual([1, 2]);
  });

  it('takes its seed from the commit', () => {
    expect(seedOf('0000010fffff')).toBe(16);
    expect(seedOf('ffffffffffff')).toBe(0xfffffff);
  });
});
