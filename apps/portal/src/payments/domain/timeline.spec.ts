import { reversalReasons, verdictKinds } from '@paycode/dto';
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
    const { completedAt } = payment;
    expect(timelineOf(nothing)).toEqual([{ at: completedAt, kind: 'PAID', values: { amount: '25.50', currencyCode: 'ZAR' } }]);
    const declined = { ...payment, outcome: 'NO_MONEY', status: 'BANK_REJECTED' } as const;
    expect(timelineOf({ ...nothing, payment: declined })).toEqual([
      { at: completedAt, kind: 'NOT_PAID', values: { status: 'BANK_REJECTED' } },
    ]);
  });

  it('says of each attempt when it was sent, what came back and when', () => {
    const attempts = [
      { attempt: 1, startedAt: at(1), outcome: 'HTTP 503', elapsedMs: 1_500 },
      { attempt: 2, startedAt: at(3), outcome: 'CONNECTION', elapsedMs: null },
      { attempt: 3, startedAt: at(4), outcome: null, elapsedMs: null },
    ];
    const steps = timelineOf({ ...nothing, delivery: { ...delivery, armedAt: null, verdict: null, attempts } });
    expect(steps.slice(2)).toEqual([
      { at: at(1), kind: 'SENT', values: { attempt: 1 } },
      { at: '2030-01-01T10:00:02.500Z', kind: 'ANSWERED', values: { attempt: 1, answer: 'HTTP 503', elapsedMs: 1_500 } },
      { at: at(3), kind: 'SENT', values: { attempt: 2 } },
      { at: at(3), kind: 'ANSWERED', values: { attempt: 2, answer: 'CONNECTION' } },
      { at: at(4), kind: 'SENT', values: { attempt: 3 } },
    ]);
  });

  it('says that an attempt was sent again instead of telling of it twice (A-87)', () => {
    const attempts = [
      { attempt: 1, startedAt: at(1), outcome: 'CONNECTION: ECONNRESET', elapsedMs: 2 },
      { attempt: 1, startedAt: at(2), outcome: 'HTTP 200', elapsedMs: 3 },
      { attempt: 2, startedAt: at(3), outcome: null, elapsedMs: null },
    ];
    const steps = timelineOf({ ...nothing, delivery: { ...delivery, armedAt: null, verdict: null, attempts } });
    expect(steps.filter(({ kind }) => kind.startsWith('SENT')).map(({ kind, values }) => [kind, values.attempt])).toEqual([
      ['SENT', 1],
      ['SENT_AGAIN', 1],
      ['SENT', 2],
    ]);
  });

  it.each(['SETTLED', 'REVERSED'] as const)('says what was decided: %s', state => {
    const reversal = { transactionId: 1, state, decidedAt: at(5) } as never;
    expect(timelineOf({ ...nothing, reversal })[1]).toEqual({ at: at(5), kind: 'DECIDED', values: { state } });
    expect(timelineOf({ ...nothing, reversal: { transactionId: 1, state, decidedAt: null } as never })).toHaveLength(1);
  });

  it('ends with the order that gives the money back, and with the money', () => {
    const reversed = { ...payment, reversalRequestedAt: at(6), reversalReason: 'NON_200' } as const;
    const steps = timelineOf({ ...nothing, payment: reversed, notice: { at: at(7), transactionId: 2, isFailed: false } });
    expect(steps.slice(1)).toEqual([
      { at: at(6), kind: 'REVERSAL_REQUESTED', values: { cause: 'NON_200' } },
      { at: at(7), kind: 'REVERSED', values: { transactionId: 2 } },
    ]);
  });

  it.each(verdictKinds)('says how a delivery ended: %s', kind => {
    const steps = timelineOf({ ...nothing, delivery: { ...delivery, attempts: [], verdict: { kind, at: at(5) } as never } });
    const causes = [...reversalReasons, 'HTTP_200', 'READ', 'NOT_ASKED'];
    expect(causes).toContain(steps.find(({ kind: step }) => step === 'VERDICT')!.values.cause);
  });

  it('regression: does not say that the money returned when the core could not give it back (A-14)', () => {
    const steps = timelineOf({ ...nothing, notice: { at: at(7), transactionId: 2, isFailed: true } });
    expect(steps.slice(1)).toEqual([{ at: at(7), kind: 'REVERSAL_FAILED', values: { transactionId: 2 } }]);
  });
});
