import { join } from 'node:path';
import { idsIn, problemOf } from './requirements';

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
    const assertionResults = [
      { fullName: 'R-1-1 passes', status: 'passed', numPassingAsserts: 1 },
      { fullName: 'R-1-2 passes without an assertion', status: 'passed', numPassingAsserts: 0 },
      { fullName: 'R-1-3 fails', status: 'failed', numPassingAsserts: 3 },
      { fullName: 'R-1-4 is skipped', status: 'pending' },
    ];
    const name = join(__dirname, '../../apps/a.spec.ts');
    expect(
      ['R-1-1', 'R-1-2', 'R-1-3', 'R-1-4', 'R-1-5'].map(id => problemOf(id, [{ testResults: [{ name, assertionResults }] }])),
    ).toEqual([
      undefined,
      'without an assertion: apps/a.spec.ts',
      'failed: apps/a.spec.ts',
      'not run: apps/a.spec.ts',
      'in the name of no test that ran',
    ]);
  });
});
