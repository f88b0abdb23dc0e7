import { type DeliveryTimeline, type ReversalReason, reversalReasons, type ReversalState } from '@paycode/dto';
import { explain } from './explanation';
import type { Payment } from './payment';
import { delivery, payment } from './testing/payment-evidence';

describe('what a merchant is told of a payment', () => {
  it.each(reversalReasons)('reversed for %s: why, and at least one thing to do', (reason: ReversalReason) => {
    const told = explain({ payment: { ...payment, outcome: 'REVERSED', reversalReason: reason }, delivery, reversal: null });
    expect(told.headline).toMatch(/^Reversed/);
    expect(told.why.length).toBeGreaterThan(20);
    expect(told.advice.at(-1)).toMatch(/^Do not deliver/);
    expect(told.advice.length).toBeGreaterThanOrEqual(2);
  });

  it('names the answer that lost the payment', () => {
    const reversed = { ...payment, outcome: 'REVERSED', reversalReason: 'NON_200' } as const;
    expect(explain({ payment: reversed, delivery, reversal: null }).why).toContain('HTTP 503');
  });

  it('tells a payment that nobody was asked about from one that waits', () => {
    const asked = { ...delivery, verdict: null };
    const notAsked = { ...delivery, attempts: [], verdict: { ...delivery.verdict!, kind: 'NOT_APPLICABLE' as const } };
    expect(explain({ payment, delivery: asked, reversal: null }).headline).toBe('Waiting for your server');
    expect(explain({ payment, delivery: notAsked, reversal: null }).headline).toBe('Settled without a notification');
    expect(explain({ payment, delivery: null, reversal: null }).headline).toBe('About to be sent');
  });

  it('says that what had no money moves none, and what a notice is of', () => {
    const told = (kind: Payment['kind']) =>
      explain({
        payment: { ...payment, outcome: 'NO_MONEY', kind, status: 'DECLINED', referenceTransactionId: 9 },
        delivery,
        reversal: null,
      });
    expect(told('PURCHASE')).toEqual({ headline: 'Not paid: DECLINED', why: expect.stringContaining('not charged'), advice: [] });
    expect(told('REFUND')).toMatchObject({ headline: 'A refund of transaction 9', advice: [] });
    expect(told('REFUND').why).toContain('of a refund');
    expect(told('REVERSAL')).toMatchObject({ headline: 'A reversal of transaction 9', advice: [] });
  });

  it('says how a settled payment was acknowledged, and after how long', () => {
    const why = (ackSource: Payment['ackSource'], ackElapsedMs: number | null) =>
      explain({ payment: { ...payment, outcome: 'SETTLED', ackSource, ackElapsedMs }, delivery, reversal: null });
    expect(why('WEBHOOK', 120)).toEqual({
      headline: 'Settled',
      why: 'Your server answered HTTP 200 after 120 ms. The money is yours.',
      advice: [],
    });
    expect(why('WEBHOOK', null).why).toBe('Your server answered HTTP 200. The money is yours.');
    expect(why('RECOVERY', 120)).toEqual({ headline: 'Settled', why: expect.stringContaining('getNotification'), advice: [] });
  });

  it('says of a payment that the core could not reverse that it stands, and what its merchant owes (A-14)', () => {
    const stands = { ...payment, outcome: 'SETTLED', reversalReason: 'NON_200', answer: 'NON_200', reversalFailedBy: 2 } as const;
    expect(explain({ payment: stands, delivery, reversal: null })).toEqual({
      headline: 'Not reversed: the payment stands',
      why: expect.stringContaining('could not give the money back (transaction 2)'),
      advice: [expect.stringContaining('deliver the goods, or refund')],
    });
  });

  it('says when a waiting payment is reversed, once it was sent', () => {
    const reversal = { transactionId: 1, dueAt: '2030-01-01T10:01:00.000Z' } as ReversalState;
    const sent = explain({ payment, delivery: { ...delivery, verdict: null }, reversal });
    expect(sent).toMatchObject({ why: expect.stringContaining('reversed at 2030-01-01T10:01:00.000Z'), advice: [] });
    const waiting = explain({ payment, delivery: { ...delivery, verdict: null, attempts: [] }, reversal });
    expect(waiting).toEqual({ headline: 'About to be sent', why: 'The notification has not left yet.', advice: [] });
  });

  it('knows the reason of a reversal from the scheduler too, and a reversal that was nobody’s answer', () => {
    const reversed = { ...payment, outcome: 'REVERSED' } as const;
    const reversal = { transactionId: 1, reason: 'TIMEOUT' } as ReversalState;
    expect(explain({ payment: reversed, delivery: null, reversal }).why).toContain('45 seconds');
    expect(explain({ payment: reversed, delivery: null, reversal: null })).toEqual({
      headline: 'Reversed',
      why: expect.stringContaining('payment network'),
      advice: ['Do not deliver the goods, or ask for payment again.'],
    });
  });

  it('names the last answer that came, and none when none came', () => {
    const reversed = { ...payment, outcome: 'REVERSED', reversalReason: 'NON_200' } as const;
    const why = (attempts: DeliveryTimeline['attempts']) =>
      explain({ payment: reversed, delivery: { ...delivery, attempts }, reversal: null }).why;
    const [first] = delivery.attempts;
    const open = { ...first!, attempt: 2, outcome: null, elapsedMs: null };
    expect(why([first!, { ...open, outcome: 'HTTP 404' }, { ...open, attempt: 3 }])).toContain('HTTP 404');
    expect(why([open])).toContain('something other than HTTP 200');
    expect(explain({ payment: reversed, delivery: null, reversal: null }).why).toContain('something other than HTTP 200');
  });
});
