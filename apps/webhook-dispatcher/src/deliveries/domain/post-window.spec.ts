import { PostWindow } from './post-window';

const rules = { ackWindowMs: 45_000, connectBudgetMs: 10_000 };
const reset = { code: 'ECONNRESET', isOurs: false, isStaleSocket: false };
const stale = { ...reset, isStaleSocket: true };

describe('the window of an attempt', () => {
  let window: PostWindow;
  beforeEach(() => (window = new PostWindow(rules, 1_000)));

  it('connecting has ten seconds of its own, and the 45 seconds start with the last request byte (A-05)', () => {
    expect(window.dueMs).toBe(11_000);
    window.sent(9_000);
    expect(window.dueMs).toBe(54_000);
  });

  it('a 200 in time is the outcome, measured from the last request byte (R-3.1-2)', () => {
    window.sent(2_000);
    expect(window.answered(200, 46_900)).toEqual({ kind: 'STATUS', status: 200, elapsedMs: 44_900 });
  });

  it('the first end counts: nothing after the deadline, nothing after the answer', () => {
    window.sent(2_000);
    expect(window.expired(47_000)).toEqual({ kind: 'TIMEOUT', elapsedMs: 45_000 });
    expect(window.answered(200, 47_001)).toBeUndefined();
    expect(window.failed(reset, 47_002, true)).toBeUndefined();
    expect(window.expired(47_003)).toBeUndefined();
    expect([window.failed(stale, 47_004, true), window.isEnded]).toEqual([undefined, true]);
  });

  it('ends with its first end, and not before; a repeat is no end', () => {
    expect(window.isEnded).toBe(false);
    window.sent(2_000);
    window.failed(stale, 3_000, true);
    expect(window.isEnded).toBe(false);
    window.answered(200, 4_000);
    expect(window.isEnded).toBe(true);
    window.sent(5_000);
    expect([window.isEnded, window.dueMs]).toEqual([true, 47_000]);
  });

  it('an answer that comes before the request is fully written counts', () => {
    expect(window.answered(413, 1_500)).toEqual({ kind: 'STATUS', status: 413, elapsedMs: 0 });
  });

  it('not connected within the budget is a connection error (R-3.1-4)', () => {
    expect(window.expired(11_000)).toEqual({ kind: 'CONNECTION', code: 'CONNECT_BUDGET', elapsedMs: null });
  });

  it('a dead pooled socket is repeated once, in the same window, and the outcome tells of it (P-T7, A-87)', () => {
    window.sent(2_000);
    expect(window.failed(stale, 3_000, true)).toBe('repeat');
    window.sent(4_000);
    expect(window.dueMs).toBe(47_000);
    expect(window.failed({ ...stale, code: 'EPIPE' }, 5_000, true)).toEqual({
      kind: 'CONNECTION',
      code: 'EPIPE',
      elapsedMs: 3_000,
      unanswered: { code: 'ECONNRESET', elapsedMs: 1_000 },
    });
  });

  it('a dead pooled socket is not repeated by a replica that may not POST: a fault of the platform that may have been sent (P-T6, P-T7)', () => {
    window.sent(2_000);
    const outcome = { kind: 'OUR_FAULT', code: 'OWNERSHIP_UNCERTAIN', isSent: true };
    expect([window.failed(stale, 3_000, false), window.isEnded]).toEqual([outcome, true]);
  });

  it('a reset on a fresh socket is not repeated (P-T7)', () => {
    window.sent(2_000);
    expect(window.failed(reset, 3_000, true)).toEqual({ kind: 'CONNECTION', code: 'ECONNRESET', elapsedMs: 1_000 });
  });

  it('a fault of the platform tells whether the request may have arrived (P-T8)', () => {
    const ours = { ...reset, code: 'EMFILE', isOurs: true };
    expect(window.failed(ours, 1_100, true)).toEqual({ kind: 'OUR_FAULT', code: 'EMFILE', isSent: false });
    const sent = new PostWindow(rules, 0);
    sent.sent(1);
    expect(sent.failed(ours, 2, true)).toEqual({ kind: 'OUR_FAULT', code: 'EMFILE', isSent: true });
  });
});
