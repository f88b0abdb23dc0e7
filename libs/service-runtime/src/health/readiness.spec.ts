import { Lifecycle } from './readiness';

const failing = (error: Error) => () => Promise.reject(error);

describe('whether a service is ready', () => {
  let lifecycle: Lifecycle;
  beforeEach(() => (lifecycle = new Lifecycle()));
  const check = (name: string, run: () => Promise<string | void> | string | void, kind: 'live' | 'ready' = 'ready') =>
    lifecycle.addCheck({ name, kind, check: run });

  it('is ready when every check passes, and reports each', async () => {
    check('database', () => Promise.resolve());
    check('events', () => undefined);
    expect(await lifecycle.report('ready')).toEqual({ status: 'ok', checks: { database: 'ok', events: 'ok' } });
  });

  it.each([
    ['a reason', () => 'no lane', 'no lane'],
    [
      'an error with a code',
      failing(Object.assign(new Error('to 10.0.0.1 as paycode'), { code: 'ECONNREFUSED' })),
      'ECONNREFUSED',
    ],
    ['an error without one', failing(new TypeError('to 10.0.0.1 as paycode')), 'TypeError'],
  ])('is not ready when one check of two answers %s, and reports only its kind', async (_, run, outcome) => {
    check('events', () => undefined);
    check('database', run);
    expect(await lifecycle.report('ready')).toEqual({ status: 'failing', checks: { events: 'ok', database: outcome } });
  });

  it('a dependency that is away makes it unready, and never restarts it', async () => {
    check('database', failing(new Error('away')));
    check('loop', () => undefined, 'live');
    expect(await lifecycle.report('live')).toEqual({ status: 'ok', checks: { loop: 'ok' } });
  });

  it('is not ready from the moment it stops, while it finishes the work in progress', async () => {
    const reports: unknown[] = [];
    lifecycle.onDrain(
      'deliveries',
      async () => void reports.push(await lifecycle.report('ready'), await lifecycle.report('live')),
    );
    await lifecycle.drain();
    expect(reports).toEqual([
      { status: 'failing', checks: { draining: 'stopping' } },
      { status: 'ok', checks: {} },
    ]);
  });

  it('one drain that fails does not keep the others from finishing', async () => {
    const drained: string[] = [];
    const error = new Error('away');
    lifecycle.onDrain('first', failing(error));
    lifecycle.onDrain('second', () => Promise.resolve(void drained.push('second')));
    expect(await lifecycle.drain()).toEqual([{ name: 'first', error }]);
    expect(drained).toEqual(['second']);
  });
});
