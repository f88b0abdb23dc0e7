import type { VerdictKind } from '@paycode/dto';
import { delivery } from '../deliveries/testing/samples';
import { isLogged } from './logged-deliveries';

type End = [verdict: VerdictKind, outcome: string | null, attempt?: number];

function reportOf(transactionId: number, [verdict, outcome, attempt = 1]: End) {
  return { delivery: delivery(transactionId, { attempt }), verdict, outcome, ageMs: 5 };
}
const ids = Array.from({ length: 10_000 }, (_, at) => 7_000_000_000_000 + at);
const linesOf = (perLine: number, ...rest: End) => ids.filter(id => isLogged(reportOf(id, rest), perLine));

describe('the log lines of deliveries', () => {
  it.each<[string, VerdictKind, string | null, number?]>([
    ['another status', 'CLOSED_NON200', 'HTTP 500'],
    ['no answer', 'CLOSED_TIMEOUT', 'TIMEOUT'],
    ['a broken connection', 'CLOSED_CONN', 'CONNECTION: ECONNRESET'],
    ['never sent', 'CLOSED_BACKSTOP', null],
    ['a second attempt, although it was acknowledged', 'ACKED_HTTP', 'HTTP 200', 2],
    ['a failure that an earlier acknowledgement outlives', 'ACKED_HTTP', 'HTTP 500'],
    ['a 200 too late', 'CLOSED_TIMEOUT', 'HTTP 200'],
    ['a 200 after getNotification', 'ACKED_PULL', 'HTTP 200'],
    ['a notice that was refused', 'NOT_APPLICABLE', 'HTTP 503'],
    ['a notice that could not be sent', 'NOT_APPLICABLE', 'NOT SENT'],
    ['a verdict after the decision', 'NOT_APPLICABLE', 'DECIDED BEFORE'],
  ])('each has one that did not end well at its first attempt: %s', (_, ...rest) => {
    expect(linesOf(1_000_000, ...rest)).toHaveLength(ids.length);
  });

  it.each<[string, VerdictKind, string | null]>([
    ['acknowledged', 'ACKED_HTTP', 'HTTP 200'],
    ['a notice that arrived', 'NOT_APPLICABLE', 'HTTP 200'],
    ['no webhook', 'NOT_APPLICABLE', 'NO WEBHOOK'],
  ])('of a hundred that ended well one has, the same in every process, at no fixed distance: %s', (_, ...rest) => {
    const logged = linesOf(100, ...rest);
    expect(logged.length).toBeGreaterThan(80);
    expect(logged.length).toBeLessThan(120);
    expect(linesOf(100, ...rest)).toEqual(logged);
    expect(new Set(logged.map(id => id % 100)).size).toBeGreaterThan(40);
    expect(linesOf(1, ...rest)).toHaveLength(ids.length);
  });
});
