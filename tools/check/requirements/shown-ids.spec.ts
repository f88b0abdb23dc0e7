import { type Evidence, evidenceIn, idsIn, verdictOn } from './shown-ids';

const passed = { status: 'passed', numPassingAsserts: 1 };
const shownIn = (...files: string[]): Evidence[] => files.map(file => ({ file, outcome: 'shown' }));

describe('the ids that tests prove', () => {
  it.each([
    ['both (R-2.1-1, R-2.1-2)', ['R-2.1-1', 'R-2.1-2']],
    ['A-07, P-I3 and (T-11)', ['A-07', 'P-I3', 'T-11']],
    ['R-2.1-1..5', []],
    ['R-2.1-1, 2: the second is not named', ['R-2.1-1']],
    ['P-I1-P-I13: a range', []],
    ['GR-8-1 and P-I14b', []],
  ])('an id counts when it is spelled out (%#)', (title, ids) => {
    expect(idsIn(title)).toEqual(ids);
  });

  it('only a test that passed and asserted something shows an id', () => {
    const tests = [
      { fullName: 'R-1-1 passes', ...passed },
      { fullName: 'R-1-2 passes without an assertion', status: 'passed', numPassingAsserts: 0 },
      { fullName: 'R-1-3 fails', status: 'failed', numPassingAsserts: 3 },
      { fullName: 'R-1-4 is skipped', status: 'pending' },
    ];
    const evidence = evidenceIn([{ testResults: [{ name: '/w/apps/a.spec.ts', assertionResults: tests }] }], '/w');
    const verdicts = ['R-1-1', 'R-1-2', 'R-1-3', 'R-1-4'].map(id => verdictOn(id, evidence.get(id)!, []));
    expect(verdicts.map(({ isShown }) => isShown)).toEqual([true, false, false, false]);
    expect(verdicts.slice(1).map(({ remark }) => remark)).toEqual([
      'without an assertion: apps/a.spec.ts',
      'failed: apps/a.spec.ts',
      'not run: apps/a.spec.ts',
    ]);
  });

  it('an id that only a comment cites, or that no test cites, is not proved', () => {
    expect(verdictOn('R-8-3', [], ['a.spec.ts'])).toEqual({
      id: 'R-8-3',
      isShown: false,
      remark: 'in the name of no test that ran; mentioned in a.spec.ts',
    });
    expect(verdictOn('R-8-3', [], [])).toMatchObject({ isShown: false, remark: 'named by no test' });
  });

  it('a proof by one test, or by one weak kind of test, is reported as weak', () => {
    expect(verdictOn('T-01', shownIn('apps/a.spec.ts'), []).remark).toBe('only by one test, apps/a.spec.ts');
    expect(verdictOn('T-01', shownIn('libs/dto/a.spec.ts', 'libs/dto/b.spec.ts'), []).remark).toContain('golden samples');
    expect(verdictOn('T-01', shownIn('tools/check/manifests/a.manifest.ts', 'tools/run/images/b.spec.ts'), []).remark).toContain(
      'nothing that runs',
    );
    expect(verdictOn('T-01', shownIn('libs/dto/a.spec.ts', 'apps/b.spec.ts'), [])).toEqual({ id: 'T-01', isShown: true });
  });
});
