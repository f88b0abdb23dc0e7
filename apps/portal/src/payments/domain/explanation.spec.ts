import { type DeliveryTimeline, type ReversalReason, reversalReasons, type ReversalState } from '@paycode/dto';
import { explain } from './explanation';
import type { Payment } from './payment';
import { delivery, payment } from './testing/payment-evidence';

describe('what a merchant is told of a payment', () => {
  it.each(reversalReasons)('reversed for %s: why, and at least one thing to do', (reason: ReversalReason) => {
    const told = explain({ payment: { ...payment, outcome: 'REVERSED', reversalReason: reason }, delivery, reversal: null });
    expect(told.headline).toBe('Reversed: the customer has the money back. Do not hand over the goods.');
    expect(told.why.length).toBeGreaterThan(20);
    expect(told.advice.length).toBeGreaterThanOrEqual(1);
  });

  it('names the answer that lost the payment', () => {
    const reversed = { ...payment, outcome: 'REVERSED', reversalReason: 'NON_200' } as const;
    expect(explain({ payment: reversed, delivery, reversal: null }).why).toContain('HTTP 503');
  });

  it('tells a payment that nobody was asked about from one that waits', () => {
    const asked = { ...delivery, verdict: null };
    const notAsked = { ...delivery, attempts: [], verdict: { ...delivery.verdict!, kind: 'NOT_APPLICABLE' as const } };
    expect(explain({ payment, delivery: asked, reversal: null }).headline).toMatch(/^Waiting for your server\. Do not hand over/);
    expect(explain({ payment, delivery: notAsked, reversal: null }).headline).toBe('Settled without a notification');
    expect(explain({ payment, delivery: null, reversal: null }).headline).toMatch(/^About to be sent\. Do not hand over/);
  });

  it('says that what had no money moves none, and what a notice is of', () => {
    const told = (kind: Payment['kind']) =>
      explain({
        payment: { ...payment, outcome: 'NO_MONEY', kind, status: 'DECLINED', referenceTransactionId: 9 },
        delivery,
        reversal: null,
      });
    expect(told('PURCHASE')).toMatchObject({ headline: expect.stringMatching(/^Not paid: DECLINED\. Do not hand/), advice: [] });
    expect(told('PURCHASE').why).toContain('not charged');
    expect(told('REFUND')).toMatchObject({ headline: 'A refund of transaction 9', advice: [] });
    expect(told('REFUND').why).toContain('of a refund');
    expect(told('REVERSAL')).toMatchObject({ headline: 'A reversal of transaction 9', advice: [] });
  });

  it('says how a settled payment was acknowledged, and after how long', () => {
    const why = (ackSource: Payment['ackSource'], ackElapsedMs: number | null) =>
      explain({ payment: { ...payment, outcome: 'SETTLED', ackSource, ackElapsedMs }, delivery, reversal: null });
    const headline = 'Settled: the money is yours. Hand over the goods.';
    const rest = { headline, advice: [], dueAt: null };
    expect(why('WEBHOOK', 120)).toEqual({ ...rest, why: 'Your server answered HTTP 200 after 120 ms.' });
    expect(why('WEBHOOK', null).why).toBe('Your server answered HTTP 200.');
    expect(why('RECOVERY', 120)).toEqual({ ...rest, why: expect.stringContaining('getNotification') });
  });

  it('says of a payment that the core could not reverse that it stands, and what its merchant owes (A-14)', () => {
    const stands = { ...payment, outcome: 'SETTLED', reversalReason: 'NON_200', answer: 'NON_200', reversalFailedBy: 2 } as const;
    expect(explain({ payment: stands, delivery, reversal: null })).toMatchObject({
      headline: 'Not reversed: the payment stands',
      why: expect.stringContaining('could not give the money back (transaction 2)'),
      advice: [expect.stringContaining('hand over the goods, or refund')],
    });
  });

  it('says when a waiting payment is reversed, once it was sent', () => {
    const reversal = { transactionId: 1, dueAt: '2030-01-01T10:01:00.000Z' } as ReversalState;
    const sent = explain({ payment, delivery: { ...delivery, verdict: null }, reversal });
    expect(sent).toMatchObject({ dueAt: '2030-01-01T10:01:00.000Z', advice: [] });
    const waiting = explain({ payment, delivery: { ...delivery, verdict: null, attempts: [] }, reversal });
    expect(waiting).toMatchObject({ why: 'The notification has not left yet.', dueAt: null });
  });

  it('knows the reason of a reversal from the scheduler too, and a reversal that was nobody’s answer', () => {
    const reversed = { ...payment, outcome: 'REVERSED' } as const;
    const reversal = { transactionId: 1, reason: 'TIMEOUT' } as ReversalState;
    expect(explain({ payment: reversed, delivery: null, reversal }).why).toContain('45 seconds');
    expect(explain({ payment: reversed, delivery: null, reversal: null })).toMatchObject({
      headline: expect.stringMatching(/^Reversed: .* Do not hand over/),
      why: expect.stringContaining('payment network'),
      advice: [],
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
