import { reversalReasons } from '../events/reversal-requested.event';
import { decisionOf, reversalReasonOf, verdictKinds, verdictOfReason } from './reversals';

describe('the verdict of a delivery', () => {
  it.each([
    ['ACKED_HTTP', 'SETTLED'],
    ['ACKED_PULL', 'SETTLED'],
    ['NOT_APPLICABLE', 'SETTLED'],
    ['CLOSED_NON200', 'REVERSED'],
    ['CLOSED_CONN', 'REVERSED'],
    ['CLOSED_TIMEOUT', 'REVERSED'],
    ['CLOSED_NEVER_SENT', 'REVERSED'],
    ['CLOSED_EXHAUSTED', 'REVERSED'],
    ['CLOSED_BACKSTOP', 'REVERSED'],
  ] as const)('%s leads to %s (P-I6)', (verdict, decision) => {
    expect(decisionOf(verdict)).toBe(decision);
  });

  it('every verdict that reverses has a reason, and each reason leads back to such a verdict (P-I6)', () => {
    const closing = verdictKinds.filter(kind => kind.startsWith('CLOSED_')) as Parameters<typeof reversalReasonOf>[0][];
    expect(new Set(closing.map(reversalReasonOf))).toEqual(new Set(reversalReasons));
    const back = reversalReasons.map(reason => reversalReasonOf(verdictOfReason(reason) as (typeof closing)[number]));
    expect(back).toEqual(reversalReasons);
  });
});
