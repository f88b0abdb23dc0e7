import { decideRestart } from './restart-policy';

describe('restarting a service that ended by itself', () => {
  it('restarts almost at once the first time and backs off after that', () => {
    const pauses = [[], [0], [0, 1], [0, 1, 2], [0, 1, 2, 3]].map(ends => decideRestart(ends, 10));
    expect(pauses.map(decision => decision.restart && decision.afterMs)).toEqual([50, 150, 450, 1_350, 4_050]);
  });

  it('gives up after five restarts within a minute', () => {
    expect(decideRestart([0, 1, 2, 3, 4], 10)).toEqual({ restart: false, reason: 'it ended 6 times within 60 s' });
  });

  it('forgets ends older than a minute', () => {
    expect(decideRestart([0, 1, 2, 3, 4], 60_002)).toEqual({ restart: true, afterMs: 450 });
  });
});
