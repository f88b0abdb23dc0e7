import { verdictKinds } from '@paycode/dto';
import { decisionFor } from './decision';

describe('decision for a verdict', () => {
  it.each(verdictKinds)('%s settles unless it is closed, and only a reversal has a reason (P-I6)', verdict => {
    const recorded = decisionFor({ transactionId: 1, merchantId: 2, verdict });
    expect(recorded.decision).toBe(verdict.startsWith('CLOSED_') ? 'REVERSED' : 'SETTLED');
    expect(recorded.reason === null).toBe(recorded.decision === 'SETTLED');
  });

  it.each([
    ['CLOSED_NON200', 'NON_200'],
    ['CLOSED_CONN', 'CONNECTION'],
    ['CLOSED_TIMEOUT', 'TIMEOUT'],
    ['CLOSED_NEVER_SENT', 'NEVER_SENT'],
    ['CLOSED_BACKSTOP', 'BACKSTOP'],
  ] as const)('%s reverses because of %s (R-3.1-3, R-3.1-4)', (verdict, reason) => {
    expect(decisionFor({ transactionId: 1, merchantId: 2, verdict })).toEqual({
      transactionId: 1,
      merchantId: 2,
      verdict,
      decision: 'REVERSED',
      reason,
    });
  });
});
