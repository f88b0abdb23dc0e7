import {
  type DeliveryTimeline,
  type ReversalReason,
  reversalReasonOf,
  reversalReasons,
  type ReversalState,
  type VerdictKind,
  verdictKinds,
} from '@paycode/dto';
import { connectionAdvice, explain, statusAdvice } from './explanation';
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

const reversedFor = (reason: ReversalReason, outcome: string | null) =>
  explain({
    payment: { ...payment, outcome: 'REVERSED', reversalReason: reason },
    delivery: { ...delivery, attempts: [{ ...delivery.attempts[0]!, outcome }] },
    reversal: null,
  });

describe('why a payment was reversed, in words', () => {
  it('each cause that a decision can have has its own, and what to do', () => {
    const told = reversalReasons.map(reason => reversedFor(reason, null));
    expect(new Set(told.map(({ why }) => why)).size).toBe(reversalReasons.length);
    for (const { why, advice } of told) expect([why.length > 20, advice.length >= 1]).toEqual([true, true]);
  });

  it('each verdict that closes leads to one of these causes', () => {
    const closing = verdictKinds.filter((kind): kind is Parameters<typeof reversalReasonOf>[0] => kind.startsWith('CLOSED_'));
    expect(closing.length).toBeGreaterThanOrEqual(reversalReasons.length);
    for (const kind of closing)
      expect([kind as VerdictKind, reversalReasons]).toEqual([kind, expect.arrayContaining([reversalReasonOf(kind)])]);
  });

  it.each([
    'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ENOTFOUND', 'EAI_AGAIN', 'ZONE_FAILED', 'ETIMEDOUT', 'CONNECT_BUDGET', 'EHOSTUNREACH', 'ENETUNREACH',
    'OUTBOUND_REFUSED', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'ERR_TLS_CERT_ALTNAME_INVALID', 'EPROTO',
  ])('not reached for %s: what that means comes first', code => {
    const { advice } = reversedFor('CONNECTION', `CONNECTION: ${code}`);
    expect(advice[0]).toBe(connectionAdvice(`CONNECTION: ${code}`));
    expect(advice[0]!.length).toBeGreaterThan(20);
  }); // prettier-ignore

  it.each([
    [204, 'exactly 200'],
    [302, 'Redirects'],
    [400, 'text/plain'],
    [401, 'sign-in'],
    [403, 'sign-in'],
    [404, 'path'],
    [405, 'path'],
    [413, '64 kB'],
    [415, 'text/plain'],
    [429, 'limits requests'],
    [500, 'log'],
    [503, 'log'],
  ])('answered with %s: what that means comes first', (status, part) => {
    expect(reversedFor('NON_200', `HTTP ${status}`).advice[0]).toContain(part);
  });

  it('what has no words of its own leaves the general ones', () => {
    expect([connectionAdvice('CONNECTION: toString'), connectionAdvice('HTTP 500'), connectionAdvice(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([statusAdvice('HTTP 200'), statusAdvice('TIMEOUT'), statusAdvice(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(reversedFor('CONNECTION', 'CONNECTION: toString').advice[0]).toContain('Press Check');
  });
});
