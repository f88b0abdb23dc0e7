import type { DeliveryTimeline, ReversalReason } from '@paycode/dto';
import { reversalReasons } from '@paycode/dto';
import { explain } from './explanation';
import type { Payment } from './payment';
import { timelineOf } from './timeline';

const payment: Payment = {
  transactionId: 1,
  merchantId: 7,
  kind: 'PURCHASE',
  status: 'SUCCESS',
  outcome: 'PENDING',
  completedAt: '2030-01-01T10:00:00.000Z',
  amount: '25.500',
  currencyCode: 'ZAR',
  reference: 'order-1',
  code: null,
  referenceTransactionId: 0,
  acknowledgedAt: null,
  ackSource: null,
  ackElapsedMs: null,
  reversalRequestedAt: null,
  reversalReason: null,
  reversedBy: null,
};
const delivery: DeliveryTimeline = {
  transactionId: 1,
  merchantId: 7,
  kind: 'PURCHASE',
  reversible: true,
  receivedAt: '2030-01-01T10:00:00.100Z',
  armedAt: '2030-01-01T10:00:00.200Z',
  attempts: [{ attempt: 1, startedAt: '2030-01-01T10:00:00.300Z', outcome: 'HTTP 503', elapsedMs: 50 }],
  verdict: { kind: 'CLOSED_NON200', at: '2030-01-01T10:00:00.350Z', elapsedMs: 50, attempt: 1 },
};

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

  it('puts the life of a payment in order, whoever told of it', () => {
    const settled = { ...payment, acknowledgedAt: '2030-01-01T10:00:00.350Z', ackSource: 'WEBHOOK' } as const;
    const kinds = timelineOf({ payment: settled, delivery, reversal: null, notice: null }).map(({ kind }) => kind);
    expect(kinds).toEqual(['PAID', 'RECEIVED', 'ARMED', 'SENT', 'ANSWERED', 'ACKNOWLEDGED', 'VERDICT']);
  });
});
