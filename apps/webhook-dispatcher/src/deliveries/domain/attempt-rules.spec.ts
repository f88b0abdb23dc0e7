import { decisionOf, verdictKinds } from '@paycode/dto';
import { backoffMs } from '@paycode/service-runtime/timing';
import { isTooOld, mayHaveBeenSent, pauseLimitsOf, planAttempt, retryLimits } from './attempt-rules';
import { newDelivery } from '../testing/samples';
import { armed, claimed, type Delivery, deliveryFromEvent, deliveryFromRepeat, deliveryFromRow, nextAttempt } from './delivery';
import { conclusionOf, conclusionWithout, outcomeClass, outcomeText, repeatPauseMs, verdictOf } from './conclusion';

describe('the next step that a delivery may take', () => {
  it('a payment may have been sent before from its second attempt on; a notice does not count (P-1.2-10)', () => {
    const payment = [1, 2, 3].map(attempt => mayHaveBeenSent({ isReversible: true, attempt }));
    expect(payment).toEqual([false, true, true]);
    expect(mayHaveBeenSent({ isReversible: false, attempt: 2 })).toBe(false);
  });

  it('is too old a millisecond after B (A-12)', () => {
    expect([899_999, 900_000, 900_001].map(ageMs => isTooOld(ageMs, { dispatchWindowMs: 900_000 }))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

const rules = { attemptsMax: 2, dispatchWindowMs: 900_000 };
const found = { isReversible: true, attemptsClaimed: 0, ageMs: 0 };

describe('attempts after a crash', () => {
  it('a payment that was never sent gets one attempt while it is younger than B (A-12)', () => {
    expect(planAttempt({ ...found, ageMs: 900_000 }, rules)).toEqual({ next: 'ATTEMPT', attempt: 1 });
    expect(planAttempt({ ...found, ageMs: 900_001 }, rules)).toEqual({ next: 'CLOSE', kind: 'CLOSED_BACKSTOP' });
  });

  it('a payment that may have been sent is posted once more, whatever its age, and no third time (A-13)', () => {
    expect(planAttempt({ ...found, attemptsClaimed: 1, ageMs: 9e9 }, rules)).toEqual({ next: 'ATTEMPT', attempt: 2 });
    expect(planAttempt({ ...found, attemptsClaimed: 2 }, rules)).toEqual({ next: 'CLOSE', kind: 'CLOSED_EXHAUSTED' });
  });

  it('MAX_ATTEMPTS=1 is the strict reading (A-13)', () => {
    const strict = { ...rules, attemptsMax: 1 };
    expect(planAttempt({ ...found, attemptsClaimed: 1 }, strict)).toEqual({ next: 'CLOSE', kind: 'CLOSED_EXHAUSTED' });
    expect(planAttempt(found, strict)).toEqual({ next: 'ATTEMPT', attempt: 1 });
  });

  it('a notice is never closed for its age or its attempts (P-I13)', () => {
    expect(planAttempt({ isReversible: false, attemptsClaimed: 7, ageMs: 9e9 }, rules)).toEqual({ next: 'ATTEMPT', attempt: 8 });
  });
});

it('a pause leaves a third of B for sending what waited, and after a rest of B nothing of it still waits (A-12, A-99)', () => {
  expect(pauseLimitsOf({ dispatchWindowMs: 900_000 })).toEqual({ durationSMax: 600, restS: 900 });
});

type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Does not compile once a member can be written. */
const isReadonlyWhole: IsSame<Delivery, Readonly<Delivery>> = true;

describe('a delivery', () => {
  const held = { epoch: 3, receivedMs: 7 };
  const row = newDelivery(1, { merchantId: 1001, shard: 1, payload: 'sealed' });
  const known = {
    version: 'V3',
    transactionId: 1,
    merchantId: 1001,
    shard: 1,
    epoch: 3,
    payload: 'sealed',
    receivedMs: 7,
    armedAtMs: null,
    zoneFailedMs: null,
  };

  it('comes from an event: its first attempt, claimed when its insert claimed it (P-1.2-1)', () => {
    const first = { ...known, isReversible: true, attempt: 1, isRepeat: false };
    expect(deliveryFromEvent(row, { ...held, version: 'V3', isClaimed: true })).toEqual({ ...first, isClaimed: true });
    expect(deliveryFromEvent(row, { ...held, version: 'V3', isClaimed: false })).toEqual({ ...first, isClaimed: false });
  });

  it('comes from a row: the attempt after those that were claimed, and never claimed yet (P-1.2-8)', () => {
    const second = { ...known, isReversible: true, attempt: 2, isClaimed: false, isRepeat: false };
    expect(deliveryFromRow(row, { ...held, attempt: 2 })).toEqual(second);
  });

  it('comes from a repeat: claimed by its lease, and never moving money, whatever the row says (P-I13)', () => {
    const repeat = { ...known, isReversible: false, attempt: 3, isClaimed: true, isRepeat: true };
    expect(deliveryFromRepeat({ ...row, attempt: 3 }, held)).toEqual(repeat);
  });

  it('each stage gives a new delivery, and the former one does not change (P-I8)', () => {
    expect(isReadonlyWhole).toBe(true);
    const found = Object.freeze(deliveryFromRow(row, { ...held, attempt: 1 }));
    const ready = Object.freeze(armed(Object.freeze(claimed(found)), 1_000));
    expect(ready).toEqual({ ...found, isClaimed: true, armedAtMs: 1_000 });
    expect(nextAttempt(ready)).toEqual({ ...ready, attempt: 2, isClaimed: false });
    expect(Object.keys(nextAttempt(ready))).toEqual(Object.keys(found));
  });
});

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
