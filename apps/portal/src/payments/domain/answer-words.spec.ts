import { type ReversalReason, reversalReasonOf, reversalReasons, type VerdictKind, verdictKinds } from '@paycode/dto';
import { connectionAdvice, statusAdvice } from './answer-words';
import { explain } from './explanation';
import { delivery, payment } from './testing/payment-evidence';

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
