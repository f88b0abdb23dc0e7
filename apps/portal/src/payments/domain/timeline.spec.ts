import { verdictKinds } from '@paycode/dto';
import { delivery, payment } from './testing/payment-evidence';
import { timelineOf } from './timeline';

const nothing = { payment, delivery: null, reversal: null, notice: null };
const at = (second: number) => `2030-01-01T10:00:0${second}.000Z`;

describe('the life of a payment', () => {
  it('stands in order, whoever told of it', () => {
    const settled = { ...payment, acknowledgedAt: '2030-01-01T10:00:00.350Z', ackSource: 'WEBHOOK' } as const;
    const kinds = timelineOf({ ...nothing, payment: settled, delivery }).map(({ kind }) => kind);
    expect(kinds).toEqual(['PAID', 'RECEIVED', 'ARMED', 'SENT', 'ANSWERED', 'ACKNOWLEDGED', 'VERDICT']);
  });

  it('is its end alone while no other service knows of it', () => {
    const paid = { at: payment.completedAt, kind: 'PAID' };
    expect(timelineOf(nothing)).toEqual([{ ...paid, text: 'The customer paid 25.50 ZAR' }]);
    const declined = { ...payment, outcome: 'NO_MONEY', status: 'BANK_REJECTED' } as const;
    expect(timelineOf({ ...nothing, payment: declined })).toEqual([{ ...paid, text: 'Transaction ended with BANK_REJECTED' }]);
  });

  it('says of each attempt when it was sent, what came back and when', () => {
    const attempts = [
      { attempt: 1, startedAt: at(1), outcome: 'HTTP 503', elapsedMs: 1_500 },
      { attempt: 2, startedAt: at(3), outcome: 'CONNECTION', elapsedMs: null },
      { attempt: 3, startedAt: at(4), outcome: null, elapsedMs: null },
    ];
    const steps = timelineOf({ ...nothing, delivery: { ...delivery, armedAt: null, verdict: null, attempts } });
    expect(steps.slice(2)).toEqual([
      { at: at(1), kind: 'SENT', text: 'Attempt 1: notification sent to your server' },
      { at: '2030-01-01T10:00:02.500Z', kind: 'ANSWERED', text: 'Attempt 1: HTTP 503 after 1500 ms' },
      { at: at(3), kind: 'SENT', text: 'Attempt 2: notification sent to your server' },
      { at: at(3), kind: 'ANSWERED', text: 'Attempt 2: CONNECTION' },
      { at: at(4), kind: 'SENT', text: 'Attempt 3: notification sent to your server' },
    ]);
  });

  it('says that an attempt was sent again instead of telling of it twice (A-87)', () => {
    const attempts = [
      { attempt: 1, startedAt: at(1), outcome: 'CONNECTION: ECONNRESET', elapsedMs: 2 },
      { attempt: 1, startedAt: at(2), outcome: 'HTTP 200', elapsedMs: 3 },
      { attempt: 2, startedAt: at(3), outcome: null, elapsedMs: null },
    ];
    const steps = timelineOf({ ...nothing, delivery: { ...delivery, armedAt: null, verdict: null, attempts } });
    expect(steps.filter(({ kind }) => kind === 'SENT').map(({ text }) => text)).toEqual([
      'Attempt 1: notification sent to your server',
      'Attempt 1: sent again on a new connection',
      'Attempt 2: notification sent to your server',
    ]);
  });

  it.each([
    ['SETTLED', 'Decided: settled'],
    ['REVERSED', 'Decided: reversed'],
  ] as const)('says what was decided: %s', (state, text) => {
    const reversal = { transactionId: 1, state, decidedAt: at(5) } as never;
    expect(timelineOf({ ...nothing, reversal })[1]).toEqual({ at: at(5), kind: 'DECIDED', text });
    expect(timelineOf({ ...nothing, reversal: { transactionId: 1, state, decidedAt: null } as never })).toHaveLength(1);
  });

  it('ends with the order that gives the money back, and with the money', () => {
    const reversed = { ...payment, reversalRequestedAt: at(6), reversalReason: 'NON_200' } as const;
    const steps = timelineOf({ ...nothing, payment: reversed, notice: { at: at(7), transactionId: 2, isFailed: false } });
    expect(steps.slice(1)).toEqual([
      { at: at(6), kind: 'REVERSAL_REQUESTED', text: 'Reversal ordered: your server answered something other than HTTP 200' },
      { at: at(7), kind: 'REVERSED', text: 'Money returned by transaction 2' },
    ]);
  });

  it.each(verdictKinds)('says in words how a delivery ended: %s', kind => {
    const steps = timelineOf({ ...nothing, delivery: { ...delivery, attempts: [], verdict: { kind, at: at(5) } as never } });
    expect(steps.find(({ kind: step }) => step === 'VERDICT')!.text).toMatch(/^Delivery ended: (?!undefined)[^_]+$/);
  });

  it('regression: does not say that the money returned when the core could not give it back (A-14)', () => {
    const steps = timelineOf({ ...nothing, notice: { at: at(7), transactionId: 2, isFailed: true } });
    expect(steps.slice(1)).toEqual([{ at: at(7), kind: 'REVERSAL_FAILED', text: 'Reversal failed: transaction 2' }]);
  });
});
