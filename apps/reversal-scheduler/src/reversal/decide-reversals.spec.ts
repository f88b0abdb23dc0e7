import { QueueFullError } from '@paycode/persistence';
import { type TransactionTerminal, type VerdictKind, verdictKinds } from '@paycode/dto';
import { shardOf } from '@paycode/ownership';
import type { Logger } from '@paycode/service-runtime';
import { register } from 'prom-client';
import { schedulerUnderTest } from './testing/scheduler-under-test';
import { decisionFor } from './domain/decision';
import { PrometheusReversalMetrics } from './prometheus-reversal.metrics';

const verdict = (transactionId: number, kind: VerdictKind) => ({ transactionId, merchantId: 7, verdict: kind });

describe('deciding', () => {
  it('an armed payment is answered as open, a decided one with its decision, so that it is not posted (R-6.2-1)', async () => {
    const { arm, decide } = schedulerUnderTest();
    await decide([verdict(2, 'ACKED_PULL'), verdict(3, 'CLOSED_NEVER_SENT')]);
    expect(await arm([1, 2, 3].map(transactionId => ({ transactionId, merchantId: 7, attempt: 1 })))).toEqual([
      { transactionId: 1, decision: null },
      { transactionId: 2, decision: 'SETTLED' },
      { transactionId: 3, decision: 'REVERSED' },
    ]);
  });

  it('a failed delivery reverses the payment once, however often it is reported (R-3.1-3)', async () => {
    const { decide, database, metrics } = schedulerUnderTest();
    await Promise.all(Array.from({ length: 100 }, () => decide([verdict(1, 'CLOSED_NON200')])));
    expect(database.outbox.map(({ transactionId, reason }) => [transactionId, reason])).toEqual([[1, 'NON_200']]);
    expect(metrics.decidedCount).toEqual({ SETTLED: 0, REVERSED: 1 });
  });

  it('each decision is counted once, by kind (P-I1)', async () => {
    const { decide, metrics } = schedulerUnderTest();
    const counted = jest.spyOn(metrics, 'decided');
    const verdicts = [verdict(1, 'ACKED_HTTP'), verdict(2, 'CLOSED_CONN'), verdict(3, 'ACKED_PULL')];
    const outcomes = await decide(verdicts);
    expect(outcomes.map(({ decision, isNew }) => [decision, isNew])).toEqual([
      ['SETTLED', true],
      ['REVERSED', true],
      ['SETTLED', true],
    ]);
    expect(counted.mock.calls).toEqual([
      ['SETTLED', 2],
      ['REVERSED', 1],
    ]);
    await decide(verdicts);
    expect(counted).toHaveBeenCalledTimes(2);
    expect(metrics.contradictions).toEqual([]);
  });

  it('shares writes of 2,000 verdicts at most, and refuses what would be more than 50,000 that wait', async () => {
    const { decide, database } = schedulerUnderTest();
    const real = database.decisions.decide.bind(database.decisions);
    const { promise: written, resolve: write } = Promise.withResolvers<void>();
    const sizes: number[] = [];
    database.decisions.decide = async items => {
      sizes.push(items.length);
      await written;
      return real(items);
    };
    const decideMany = (count: number) => decide(Array.from({ length: count }, (_, at) => verdict(at, 'ACKED_HTTP')));
    const calls = [1, 1_000, 1_000, 1, 47_999].map(decideMany);
    await expect(decideMany(1)).rejects.toThrow(QueueFullError);
    write();
    await Promise.all(calls);
    expect(sizes).toEqual([1, 2_000, 1, 47_999]);
  });

  it('a payment whose data the database refuses stays undecided; the others are decided (T-29)', async () => {
    const { decideEach, database, metrics } = schedulerUnderTest();
    const real = database.decisions.decide.bind(database.decisions);
    database.decisions.decide = async items => {
      if (items.some(({ transactionId }) => transactionId === 2)) throw Object.assign(new Error('refused'), { code: '22021' });
      return real(items);
    };
    const undecided = await decideEach([1, 2, 3].map(id => verdict(id, 'CLOSED_CONN')));
    expect([...undecided]).toEqual([2]);
    expect([...database.decisionRows.keys()].sort()).toEqual([1, 3]);
    expect(metrics.parkedWork).toEqual(['decide 2']);
  });

  it('an acknowledgement after the reversal changes nothing and raises an alarm (T-18)', async () => {
    const { decide, database, metrics } = schedulerUnderTest();
    await decide([verdict(1, 'CLOSED_TIMEOUT')]);
    await decide([verdict(1, 'ACKED_HTTP')]);
    expect(database.decisionRows.get(1)!.decision).toBe('REVERSED');
    expect(metrics.contradictions).toEqual(['ack_after_reversed 1']);
  });

  it('a failure reported after the acknowledgement changes nothing and raises an alarm (P-I3)', async () => {
    const { decide, database, metrics } = schedulerUnderTest();
    await decide([verdict(1, 'ACKED_HTTP'), verdict(1, 'CLOSED_TIMEOUT')]);
    expect(database.outbox).toEqual([]);
    expect(metrics.contradictions).toEqual(['closed_after_settled 1']);
  });
});

describe('the audit of TransactionTerminal', () => {
  const terminal = (transactionId: number, over: Partial<TransactionTerminal> = {}): TransactionTerminal => ({
    transactionId,
    merchantId: 7,
    kind: 'PURCHASE',
    status: 'SUCCESS',
    txState: 'SUCCESS',
    referenceTransactionId: 0,
    completedAt: '2026-01-01T00:00:00Z',
    notification: 'a.b.c.d.e',
    ...over,
  });

  it('the scheduler asks about a payment that was never armed, and it ends (P-I7)', async () => {
    const { watch, timers, closer, database, clock, metrics } = schedulerUnderTest();
    await watch([terminal(1)]);
    expect(metrics.watchedCount).toBe(1);
    const counted = jest.spyOn(metrics, 'watched');
    await watch([terminal(1)]);
    expect(counted).not.toHaveBeenCalled();
    closer.verdicts.set(1, 'CLOSED_NEVER_SENT');
    await clock.advance(60_000);
    await timers.load();
    await timers.fire();
    expect(database.outbox.map(({ reason }) => reason)).toEqual(['NEVER_SENT']);
  });

  it('regression: a lost payment ends although the timers of its shard have read further already (P-I7)', async () => {
    const { arm, watch, timers, closer, database, clock } = schedulerUnderTest();
    const neighbour = Array.from({ length: 10_000 }, (_, at) => at + 2).find(id => shardOf(id) === shardOf(1))!;
    await arm([{ transactionId: neighbour, merchantId: 7, attempt: 1 }]);
    await clock.advance(55_000);
    await timers.load();
    await watch([terminal(1)]);
    closer.verdicts.set(1, 'CLOSED_NEVER_SENT').set(neighbour, 'ACKED_HTTP');
    await clock.advance(60_000);
    await timers.load();
    await timers.fire();
    expect(database.outbox.map(({ transactionId }) => transactionId)).toEqual([1]);
  });

  describe('as in P-I13, A-01, A-02', () => {
    it('the audit watches only successful purchases', async () => {
      const { watch, database } = schedulerUnderTest();
      await watch([
        terminal(1, { status: 'BANK_REJECTED', txState: 'END_BANK_DECLINE' }),
        terminal(2, { kind: 'REVERSAL', status: 'REVERSED' }),
        terminal(3, { kind: 'REFUND', status: 'REFUNDED' }),
        terminal(4, { kind: 'REFUND', status: 'SUCCESS' }),
      ]);
      expect(database.jobRows.size).toBe(0);
      const asked = jest.spyOn(database.jobs, 'watch');
      await watch([terminal(5, { kind: 'REFUND', status: 'REFUNDED' })]);
      expect(asked).not.toHaveBeenCalled();
      await watch([terminal(6), terminal(7, { kind: 'REFUND' })]);
      expect(asked.mock.calls.map(([items]) => items)).toEqual([[{ transactionId: 6, merchantId: 7 }]]);
    });
  });
});

describe('decision for a verdict', () => {
  it.each(verdictKinds)('%s settles unless it is closed, and only a reversal has a reason (P-I6)', verdict => {
    const recorded = decisionFor({ transactionId: 1, merchantId: 2, verdict });
    expect(recorded.decision).toBe(verdict.startsWith('CLOSED_') ? 'REVERSED' : 'SETTLED');
    expect(recorded.reason === null).toBe(recorded.decision === 'SETTLED');
  });

  it.each([
    ['CLOSED_NON200', 'NON_200'],
    ['CLOSED_CONN', 'CONNECTION'],
    ['CLOSED_TIMEOUT', 'TIMEOUT'],
    ['CLOSED_NEVER_SENT', 'NEVER_SENT'],
    ['CLOSED_BACKSTOP', 'BACKSTOP'],
  ] as const)('%s reverses because of %s (R-3.1-3, R-3.1-4)', (verdict, reason) => {
    expect(decisionFor({ transactionId: 1, merchantId: 2, verdict })).toEqual({
      transactionId: 1,
      merchantId: 2,
      verdict,
      decision: 'REVERSED',
      reason,
    });
  });
});

describe('metrics of the scheduler before anything was decided', () => {
  // Prometheus sees no increase in a series that begins with its first event.
  it.each([
    ['paycode_reversal_scheduler_decisions_total', 'decision', ['SETTLED', 'REVERSED']],
    ['paycode_reversal_scheduler_decisions_contradicted_total', 'kind', ['ack_after_reversed', 'closed_after_settled']],
  ])('%s stands at 0 for each %s', async (name, label, kinds) => {
    new PrometheusReversalMetrics({} as Logger);
    const { values } = await register.getSingleMetric(name)!.get();
    expect(values).toEqual(kinds.map(kind => ({ value: 0, labels: { [label]: kind } })));
  });
});

it('an acknowledgement counts as settled within the 5 seconds of the service level, or not; a clock ahead changes nothing', async () => {
  const metrics = new PrometheusReversalMetrics({} as Logger);
  for (const afterMs of [-3, 20, 5_000, 5_001]) metrics.settled(afterMs);
  expect(await register.metrics()).toContain('paycode_reversal_scheduler_acknowledgement_to_settled_seconds_bucket{le="5"} 3\n');
});
