import { explained, stepWords } from './sentences';

const explanation = { values: {}, advice: [], dueAt: null };

/** proves: A-96 */
describe('the sentences about a payment', () => {
  it('name the answer, the time and the other transaction where the portal knows them', () => {
    const why = (code: Parameters<typeof explained>[0]['code'], values = {}) => explained({ ...explanation, code, values }).why;
    expect(why('SETTLED', { elapsedMs: 120 })).toBe('Your server answered HTTP 200 in 120 ms.');
    expect(why('SETTLED', { elapsedMs: 0 })).toBe('Your server answered HTTP 200 in under 1 ms.');
    expect(why('SETTLED')).toBe('Your server answered HTTP 200.');
    expect(why('REVERSED_NON_200', { answer: 'HTTP 503' })).toMatch(/^Your server answered HTTP 503\. Only HTTP 200/);
    expect(why('REVERSED_NON_200')).toMatch(/^Your server answered something other than HTTP 200\./);
    expect(why('REVERSAL_FAILED', { transactionId: 1_234 })).toContain('(transaction 1234)');
  });

  it('tell each step with its amount, cause and time', () => {
    const at = '2030-01-01T10:00:00.000Z';
    expect(stepWords({ at, kind: 'PAID', values: { amount: '25.50', currencyCode: 'ZAR' } })).toMatch(
      /^The customer paid .*25.50$/,
    );
    expect(stepWords({ at, kind: 'VERDICT', values: { cause: 'TIMEOUT' } })).toBe('Delivery ended: no answer within 45 seconds');
    expect(stepWords({ at, kind: 'ANSWERED', values: { attempt: 1, answer: 'HTTP 503', elapsedMs: 1_500 } })).toBe(
      'Attempt 1: HTTP 503 in 1500 ms',
    );
    expect(stepWords({ at, kind: 'ANSWERED', values: { attempt: 2, answer: 'CONNECTION' } })).toBe('Attempt 2: CONNECTION');
  });

  it('a code of a newer release stands as it is', () => {
    const newer = { ...explanation, code: 'NEWER' as never, advice: ['DO_IT' as never] };
    expect(explained(newer)).toEqual({ headline: 'NEWER', why: '', advice: ['DO_IT'] });
  });
});
