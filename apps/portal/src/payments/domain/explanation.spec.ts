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
  it('tells a payment that nobody was asked about from one that waits', () => {
    const asked = { ...delivery, verdict: null };
    const notAsked = { ...delivery, attempts: [], verdict: { ...delivery.verdict!, kind: 'NOT_APPLICABLE' as const } };
    expect(explain({ payment, delivery: asked, reversal: null }).code).toBe('WAITING');
    expect(explain({ payment, delivery: notAsked, reversal: null })).toMatchObject({
      code: 'SETTLED_WITHOUT_NOTIFICATION',
      advice: ['REGISTER_URL'],
    });
    expect(explain({ payment, delivery: null, reversal: null }).code).toBe('NOT_SENT_YET');
  });

  it('says that what had no money moves none, and what a notice is of', () => {
    const told = (kind: Payment['kind']) =>
      explain({
        payment: { ...payment, outcome: 'NO_MONEY', kind, status: 'DECLINED', referenceTransactionId: 9 },
        delivery,
        reversal: null,
      });
    const rest = { advice: [], dueAt: null };
    expect(told('PURCHASE')).toEqual({ ...rest, code: 'NOT_PAID', values: { status: 'DECLINED' } });
    expect(told('REFUND')).toEqual({ ...rest, code: 'REFUND_NOTICE', values: { transactionId: 9 } });
    expect(told('REVERSAL')).toEqual({ ...rest, code: 'REVERSAL_NOTICE', values: { transactionId: 9 } });
  });

  it('says how a settled payment was acknowledged, and after how long', () => {
    const told = (ackSource: Payment['ackSource'], ackElapsedMs: number | null) =>
      explain({ payment: { ...payment, outcome: 'SETTLED', ackSource, ackElapsedMs }, delivery, reversal: null });
    const rest = { advice: [], dueAt: null };
    expect(told('WEBHOOK', 120)).toEqual({ ...rest, code: 'SETTLED', values: { elapsedMs: 120 } });
    expect(told('WEBHOOK', null)).toEqual({ ...rest, code: 'SETTLED', values: {} });
    expect(told('RECOVERY', 120)).toEqual({ ...rest, code: 'SETTLED_BY_READING', values: {} });
  });

  it('says of a payment that the core could not reverse that it stands, and what its merchant owes (A-14)', () => {
    const stands = { ...payment, outcome: 'SETTLED', reversalReason: 'NON_200', answer: 'NON_200', reversalFailedBy: 2 } as const;
    expect(explain({ payment: stands, delivery, reversal: null })).toMatchObject({
      code: 'REVERSAL_FAILED',
      values: { transactionId: 2 },
      advice: ['HAND_OVER_OR_REFUND'],
    });
  });

  it('says when a waiting payment is reversed, once it was sent', () => {
    const reversal = { transactionId: 1, dueAt: '2030-01-01T10:01:00.000Z' } as ReversalState;
    const sent = explain({ payment, delivery: { ...delivery, verdict: null }, reversal });
    expect(sent).toMatchObject({ dueAt: '2030-01-01T10:01:00.000Z', advice: [] });
    const waiting = explain({ payment, delivery: { ...delivery, verdict: null, attempts: [] }, reversal });
    expect(waiting).toMatchObject({ code: 'NOT_SENT_YET', dueAt: null });
  });

  it('knows the reason of a reversal from the scheduler too, and a reversal that was nobody’s answer', () => {
    const reversed = { ...payment, outcome: 'REVERSED' } as const;
    const reversal = { transactionId: 1, reason: 'TIMEOUT' } as ReversalState;
    expect(explain({ payment: reversed, delivery: null, reversal }).code).toBe('REVERSED_TIMEOUT');
    expect(explain({ payment: reversed, delivery: null, reversal: null })).toMatchObject({ code: 'REVERSED', advice: [] });
  });

  it('names the last answer that came, and none when none came', () => {
    const reversed = { ...payment, outcome: 'REVERSED', reversalReason: 'NON_200' } as const;
    const values = (attempts: DeliveryTimeline['attempts']) =>
      explain({ payment: reversed, delivery: { ...delivery, attempts }, reversal: null }).values;
    const [first] = delivery.attempts;
    const open = { ...first!, attempt: 2, outcome: null, elapsedMs: null };
    expect(values(delivery.attempts)).toEqual({ answer: 'HTTP 503' });
    expect(values([first!, { ...open, outcome: 'HTTP 404' }, { ...open, attempt: 3 }])).toEqual({ answer: 'HTTP 404' });
    expect(values([open])).toEqual({});
    expect(explain({ payment: reversed, delivery: null, reversal: null }).values).toEqual({});
  });
});

const reversedFor = (reason: ReversalReason, outcome: string | null) =>
  explain({
    payment: { ...payment, outcome: 'REVERSED', reversalReason: reason },
    delivery: { ...delivery, attempts: [{ ...delivery.attempts[0]!, outcome }] },
    reversal: null,
  });

describe('why a payment was reversed', () => {
  it('each cause that a decision can have has its own code, and what to do', () => {
    for (const reason of reversalReasons) {
      const { code, advice } = reversedFor(reason, null);
      expect([code, advice.length >= 1]).toEqual([`REVERSED_${reason}`, true]);
    }
  });

  it('each verdict that closes leads to one of these causes', () => {
    const closing = verdictKinds.filter((kind): kind is Parameters<typeof reversalReasonOf>[0] => kind.startsWith('CLOSED_'));
    expect(closing.length).toBeGreaterThanOrEqual(reversalReasons.length);
    for (const kind of closing)
      expect([kind as VerdictKind, reversalReasons]).toEqual([kind, expect.arrayContaining([reversalReasonOf(kind)])]);
  });

  it.each([
    ['ECONNREFUSED', 'NOTHING_LISTENS'],
    ['ECONNRESET', 'CLOSED_EARLY'],
    ['EPIPE', 'CLOSED_WHILE_SENT'],
    ['UND_ERR_SOCKET', 'CLOSED_EARLY'],
    ['HTTP_408', 'CLOSED_IDLE'],
    ['ENOTFOUND', 'NAME_UNKNOWN'],
    ['EAI_AGAIN', 'NAME_SERVERS_SILENT'],
    ['ZONE_FAILED', 'NAME_SERVERS_FAILED'],
    ['ETIMEDOUT', 'FIREWALL'],
    ['CONNECT_BUDGET', 'FIREWALL'],
    ['EHOSTUNREACH', 'UNREACHABLE'],
    ['ENETUNREACH', 'UNREACHABLE'],
    ['OUTBOUND_REFUSED', 'NOT_PUBLIC'],
    ['CERT_HAS_EXPIRED', 'CERTIFICATE_EXPIRED'],
    ['CERT_NOT_YET_VALID', 'CERTIFICATE_EARLY'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERTIFICATE_SELF_SIGNED'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'AUTHORITY_NOT_PUBLIC'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CHAIN_INCOMPLETE'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CHAIN_INCOMPLETE'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'CERTIFICATE_OTHER_NAME'],
    ['EPROTO', 'TLS_FAILED'],
  ])('not reached for %s: what that means comes first', (code, first) => {
    expect(reversedFor('CONNECTION', `CONNECTION: ${code}`).advice).toEqual([first, 'PRESS_CHECK', 'LET_IN']);
  });

  it.each([
    [204, 'EXACTLY_200'],
    [302, 'NO_REDIRECTS'],
    [400, 'OLD_KEY_OR_PARSER'],
    [401, 'NO_SIGN_IN'],
    [403, 'NO_SIGN_IN'],
    [404, 'TAKE_POST'],
    [405, 'TAKE_POST'],
    [413, 'BODY_LIMIT'],
    [415, 'BODY_TYPE'],
    [429, 'NO_RATE_LIMIT'],
    [500, 'PROGRAM_FAILED'],
    [503, 'PROGRAM_FAILED'],
  ])('answered with %s: what that means comes first', (status, first) => {
    expect(reversedFor('NON_200', `HTTP ${status}`).advice).toEqual([first, 'ANSWER_AT_ONCE']);
  });

  it('what has no advice of its own leaves the general one', () => {
    const none = ['CONNECTION: toString', 'HTTP 500', undefined].map(connectionAdvice);
    expect([...none, ...['HTTP 200', 'TIMEOUT', undefined].map(statusAdvice)]).toEqual(Array.from({ length: 6 }));
    expect(reversedFor('CONNECTION', 'CONNECTION: toString').advice).toEqual(['PRESS_CHECK', 'LET_IN']);
    expect(reversedFor('NON_200', null).advice).toEqual(['READ_LOG', 'ANSWER_AT_ONCE']);
  });
});
