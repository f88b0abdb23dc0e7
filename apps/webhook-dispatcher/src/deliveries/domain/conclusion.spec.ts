import { decisionOf, verdictKinds } from '@paycode/dto';
import { backoffMs } from '@paycode/service-runtime/timing';
import { retryLimits } from './attempt-rules';
import { conclusionOf, conclusionWithout, outcomeClass, outcomeText, repeatPauseMs, verdictOf } from './conclusion';

describe('the verdict of an outcome', () => {
  const status = (code: number) => ({ kind: 'STATUS' as const, status: code, elapsedMs: 5 });
  const payment = { isReversible: true, attempt: 1 };
  const notice = { isReversible: false, attempt: 1 };

  it('of all statuses only 200 acknowledges (R-1-7, A-08)', () => {
    const acknowledging = Array.from({ length: 900 }, (_, n) => n + 100).filter(code => verdictOf(status(code)) === 'ACKED_HTTP');
    expect(acknowledging).toEqual([200]);
    expect(verdictOf(status(204))).toBe('CLOSED_NON200');
  });

  it('timeouts and connection errors close (R-3.1-4)', () => {
    expect(verdictOf({ kind: 'TIMEOUT', elapsedMs: 45_000 })).toBe('CLOSED_TIMEOUT');
    expect(verdictOf({ kind: 'CONNECTION', code: 'ECONNREFUSED', elapsedMs: null })).toBe('CLOSED_CONN');
  });

  it('a fault of the platform has no verdict (P-T8)', () => {
    expect(conclusionOf(payment, { kind: 'OUR_FAULT', code: 'EMFILE', isSent: false })).toBeUndefined();
  });

  it('no outcome of a notice is ever positive or negative for a payment (P-I13, A-01)', () => {
    for (const outcome of [status(200), status(500), { kind: 'TIMEOUT' as const, elapsedMs: 1 }]) {
      expect(conclusionOf(notice, outcome)!.kind).toBe('NOT_APPLICABLE');
    }
  });

  it('a notice is tried again after 30 s, 2 min and 10 min, and not after a 200', () => {
    expect([1, 2, 3, 4].map(repeatPauseMs)).toEqual([30_000, 120_000, 600_000, null]);
    expect(conclusionOf(notice, status(500))!.retryAfterMs).toBe(30_000);
    expect(conclusionOf(notice, status(200))!.retryAfterMs).toBeNull();
    expect(conclusionOf(payment, status(500))!.retryAfterMs).toBeNull();
  });

  it('a verdict that could not be recorded is tried again after 100 ms, twice as long each time, and every five seconds at last', () => {
    expect([1, 2, 3, 6, 7, 100].map(failures => backoffMs(failures, retryLimits, 0))).toEqual([
      100, 200, 400, 3_200, 5_000, 5_000,
    ]);
  });

  it('shows codes in timelines, and classes in metrics', () => {
    const outcomes = [
      status(200),
      status(503),
      { kind: 'TIMEOUT' as const, elapsedMs: 45_000 },
      { kind: 'CONNECTION' as const, code: 'CERT_HAS_EXPIRED', elapsedMs: null },
      { kind: 'OUR_FAULT' as const, code: 'EMFILE', isSent: true },
    ];
    expect(outcomes.map(outcome => [outcomeText(outcome), outcomeClass(outcome)])).toEqual([
      ['HTTP 200', 'acknowledged'],
      ['HTTP 503', 'non_200'],
      ['TIMEOUT', 'timeout'],
      ['CONNECTION: CERT_HAS_EXPIRED', 'connection'],
      ['OWN FAULT: EMFILE', 'our_fault'],
    ]);
  });

  it('a conclusion names its attempt and how long it took; one without a request names neither', () => {
    expect(conclusionOf({ isReversible: true, attempt: 2 }, status(200))).toEqual({
      kind: 'ACKED_HTTP',
      attempt: 2,
      outcome: 'HTTP 200',
      elapsedMs: 5,
      retryAfterMs: null,
    });
    expect(conclusionOf(payment, { kind: 'CONNECTION', code: 'ECONNRESET', elapsedMs: null })!.elapsedMs).toBeNull();
    expect(conclusionWithout('CLOSED_BACKSTOP', 'TOO_OLD')).toEqual({
      kind: 'CLOSED_BACKSTOP',
      attempt: null,
      outcome: 'TOO_OLD',
      elapsedMs: null,
      retryAfterMs: null,
    });
  });

  it('every verdict leads to exactly one decision (P-I6)', () => {
    expect(verdictKinds.filter(kind => decisionOf(kind) === 'SETTLED')).toEqual(['ACKED_HTTP', 'ACKED_PULL', 'NOT_APPLICABLE']);
  });
});
