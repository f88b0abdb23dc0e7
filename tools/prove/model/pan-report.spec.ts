import { problemOf, readPanReport } from './spin.ts';

const complete = `
(Spin Version 6.5.2 -- 6 December 2019)
State-vector 76 byte, depth reached 238, errors: 0
  8918963 states, stored
pan: elapsed time 17.2 seconds`;

describe('report of the model checker', () => {
  it.each(['error: max search depth too small', 'pan: reached -DMEMLIM bound, out of memory', 'Warning: Search not completed'])(
    '"%s" is not taken for a proof',
    line => {
      expect(readPanReport(`${line}${complete}`).incomplete).not.toBeNull();
    },
  );

  it('no report is a failure, never a pass', () => {
    expect(() => readPanReport('Segmentation fault')).toThrow('no report');
  });

  const run = (expects: 'no error' | 'an error') => ({ name: '', shows: '', defines: [], property: 'safety', expects }) as const;
  const report = (errors: number, incomplete: string | null = null) => ({ errors, states: 1, incomplete, complaint: null });

  it('a base run passes only without error and to its end; a run without a guard passes only with an error', () => {
    expect(problemOf(run('no error'), report(0))).toBeNull();
    expect(problemOf(run('no error'), report(1))).toContain('found an error');
    expect(problemOf(run('no error'), report(0, 'out of memory'))).toContain('not exhaustive');
    expect(problemOf(run('an error'), report(1))).toBeNull();
    expect(problemOf(run('an error'), report(0))).toContain('did not miss');
  });
});
