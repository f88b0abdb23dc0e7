import type { AuditReport } from '../../../../apps/operations/src/audit/audit.ts';
import { broken, type Disturbance, type SeenPost, summarise as summariseRun } from './kill-summary.ts';

const counts = { transactions: 3, settled: 2, reversed: 1, open: 0, duplicates: 0 };
const clean: AuditReport = { ...counts, violations: [], violationCount: 0 };
const violating = (rule: string): AuditReport => {
  return { ...clean, violations: [{ transactionId: 1, rule, message: 'seeded' }], violationCount: 1 };
};
const post = (attempt: number, atMs: number, from = 'dispatcher-1'): SeenPost => ({ transactionId: 1, attempt, atMs, from });
const killed: Disturbance = { name: 'dispatcher-1', kind: 'kill', fromMs: 150, toMs: 150 };

const summarise = (report: AuditReport, posts: SeenPost[], disturbances: Disturbance[]) =>
  summariseRun(report, { posts, disturbances, ackWindowMs: 100 });

describe('the numbers of a run under random kills', () => {
  it.each([
    ['P-I3', 'acknowledgedAndReversed'],
    ['P-I2', 'reversedTwice'],
    ['P-I7', 'undecided'],
    ['P-I8', 'otherViolations'],
  ])('%s: a violation is a failure: %s', (rule, name) => {
    expect(broken(summarise(violating(rule), [], []))).toEqual([name]);
    expect(broken(summarise({ ...clean, open: 1 }, [], []))).toEqual(['undecided']);
  });

  it('a second attempt is all right when the sender of the first was killed or stopped in between (P-I8)', () => {
    const stopped: Disturbance = { ...killed, kind: 'pause', fromMs: 50, toMs: 180 };
    for (const cause of [killed, stopped])
      expect(broken(summarise(clean, [post(1, 100), post(2, 200, 'dispatcher-2')], [cause]))).toEqual([]);
  });

  it.each([
    ['another was killed', { ...killed, name: 'dispatcher-2' }],
    ['it was killed before', { ...killed, fromMs: 50, toMs: 60 }],
    ['it was restarted in good order', { ...killed, kind: 'restart' as const }],
  ])('a second attempt is a failure when %s (P-I8)', (_, disturbance) => {
    expect(broken(summarise(clean, [post(1, 100), post(2, 200)], [disturbance]))).toEqual(['duplicatesWithoutCause']);
  });

  it('a 200 that was lost with its process is counted separately; it is a failure when the kill came after the window (P-I4)', () => {
    const summary = summarise(violating('P-I4'), [post(1, 100)], [killed]);
    expect([summary.lostWithTheirProcess, broken(summary)]).toEqual([1, []]);
    const late = { ...killed, fromMs: 201, toMs: 201 };
    for (const posts of [[post(1, 100)], []])
      expect(broken(summarise(violating('P-I4'), posts, [late]))).toEqual(['otherViolations']);
  });
});
