import type { DeliveryTimeline } from '@paycode/dto';
import type { Payment } from '../payment';

/** A payment of which nothing is decided. */
export const payment: Payment = {
  transactionId: 1,
  merchantId: 7,
  kind: 'PURCHASE',
  status: 'SUCCESS',
  outcome: 'PENDING',
  completedAt: '2030-01-01T10:00:00.000Z',
  amount: '25.50',
  currencyCode: 'ZAR',
  reference: 'order-1',
  code: null,
  referenceTransactionId: 0,
  acknowledgedAt: null,
  ackSource: null,
  ackElapsedMs: null,
  reversalRequestedAt: null,
  reversalReason: null,
  answer: null,
  reversedBy: null,
  reversalFailedBy: null,
  returnedAt: null,
  refundedAt: null,
  refundedAmount: null,
};

/** Its delivery: one attempt, which the receiver answered with 503. */
export const delivery: DeliveryTimeline = {
  transactionId: 1,
  merchantId: 7,
  kind: 'PURCHASE',
  reversible: true,
  receivedAt: '2030-01-01T10:00:00.100Z',
  armedAt: '2030-01-01T10:00:00.200Z',
  attempts: [{ attempt: 1, startedAt: '2030-01-01T10:00:00.300Z', outcome: 'HTTP 503', elapsedMs: 50 }],
  verdict: { kind: 'CLOSED_NON200', at: '2030-01-01T10:00:00.350Z', elapsedMs: 50, attempt: 1 },
};
