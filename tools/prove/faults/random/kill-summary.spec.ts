import type { AuditReport } from '../../../../apps/operations/src/audit/audit.ts';
import { broken, type Disturbance, type SeenPost, summarise as summariseRun } from './kill-summary.ts';

const clean: AuditReport = {
  transactions: 3,
  settled: 2,
  reversed: 1,
  open: 0,
  duplicates: 0,
  violations: [],
  violationCount: 0,
};
const violating = (rule: string): AuditReport => ({
  ...clean,
  violations: [{ transactionId: 1, rule, message: 'seeded' }],
  violationCount: 1,
});
const post = (attempt: number, atMs: number, from = 'dispatcher-1'): SeenPost => ({ transactionId: 1, attempt, atMs, from });
const killed: Disturbance = { name: 'dispatcher-1', kind: 'kill', fromMs: 150, toMs: 150 };

const summarise = (report: AuditReport, posts: SeenPost[], disturbances: Disturbance[]) =>
  summariseRun(report, { posts, disturbances, ackWindowMs: 100 });

describe('the numbers of a run under random kills', () => {
  it.each([
    ['P-I3', 'acknowledgedAndReversed'],
    ['P-I6', 'acknowledgedAndReversed'],
    ['P-I2', 'reversedTwice'],
    ['P-I7', 'undecided'],
    ['P-I8', 'otherViolations'],
    ['P-I1', 'otherViolations'],
  ])('%s: a violation is a failure: %s', (rule, name) => {
    expect(broken(summarise(violating(rule), [], []))).toEqual([name]);
  });

  it('a payment left open is a failure (P-I7)', () => {
    expect(broken(summarise({ ...clean, open: 1 }, [], []))).toEqual(['undecided']);
  });

  it('a second attempt is all right when the sender of the first was killed or stopped in between (P-I8)', () => {
    expect(summarise(clean, [post(1, 100), post(2, 200, 'dispatcher-2')], [killed])).toMatchObject({
      duplicates: 1,
      duplicatesWithoutCause: 0,
    });
    const stopped: Disturbance = { ...killed, kind: 'pause', fromMs: 50, toMs: 180 };
    expect(broken(summarise(clean, [post(1, 100), post(2, 200)], [stopped]))).toEqual([]);
  });

  it.each([
    ['nobody was killed', []],
    ['another was', [{ ...killed, name: 'dispatcher-2' }]],
    ['it was killed before', [{ ...killed, fromMs: 50, toMs: 60 }]],
    ['it was killed after', [{ ...killed, fromMs: 300, toMs: 300 }]],
    ['it was restarted in good order', [{ ...killed, kind: 'restart' as const }]],
  ])('a second attempt is a failure when %s (P-I8)', (_, disturbances) => {
    expect(broken(summarise(clean, [post(1, 100), post(2, 200)], disturbances))).toEqual(['duplicatesWithoutCause']);
  });

  it('a 200 that was lost with its process is counted separately (P-I4)', () => {
    const summary = summarise(violating('P-I4'), [post(1, 100)], [killed]);
    expect([summary.lostWithTheirProcess, broken(summary)]).toEqual([1, []]);
  });

  it.each([
    ['nobody was killed', [post(1, 100)], []],
    ['the kill came after the window', [post(1, 100)], [{ ...killed, fromMs: 201, toMs: 201 }]],
    ['another attempt was sent by one that lived', [post(1, 100), post(2, 200, 'dispatcher-2')], [killed]],
    ['nothing is known of it', [], [killed]],
  ])('a 200 that did not count is a failure when %s (P-I4)', (_, posts, disturbances) => {
    expect(broken(summarise(violating('P-I4'), posts, disturbances))).toEqual(['otherViolations']);
  });

  it('the same attempt seen twice is no second attempt (P-T7)', () => {
    expect(summarise(clean, [post(1, 100), post(1, 101)], []).duplicates).toBe(0);
  });
});
