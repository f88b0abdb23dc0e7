import { DataFault } from '@paycode/persistence';
import type { EventBatch } from '@paycode/events';
import type { DecideReversals } from './decide-reversals';
import { CountingMetrics, schedulerUnderTest, tick } from './testing/scheduler-under-test';
import { AckReceivedConsumer } from './reversal-events.consumer';

const acks = (...sources: string[]) => {
  const events = sources.map((source, at) => ({
    data: {
      transactionId: at + 1,
      merchantId: 7,
      source,
      attempt: 1,
      elapsedMs: null,
      acknowledgedAt: new Date(Date.now() - 3_600_000).toISOString(),
    },
  }));
  return { events, reject: (_: unknown, reason: string) => expect(reason).toBe('') } as unknown as EventBatch;
};

/** The real use cases of a scheduler that armed the payments, and their acknowledgements as events. */
async function armed(...transactionIds: number[]) {
  const scheduler = schedulerUnderTest();
  await scheduler.arm(transactionIds.map(transactionId => ({ transactionId, merchantId: 7, attempt: 1 })));
  const consumer = new AckReceivedConsumer({ decide: scheduler.decide } as unknown as DecideReversals, scheduler.metrics);
  return { ...scheduler, consumer };
}

describe('acknowledgements that come as events', () => {
  it('settle the payments, whether they came by webhook or by recovery (P-I10)', async () => {
    const { consumer, database, metrics } = await armed(1, 2);
    await consumer.onAckReceived(acks('WEBHOOK', 'RECOVERY'));
    await consumer.onAckReceived(acks('WEBHOOK', 'RECOVERY'));
    expect([1, 2].map(id => database.decisionRows.get(id)?.verdict)).toEqual(['ACKED_HTTP', 'ACKED_PULL']);
    expect(metrics.decidedCount).toEqual({ SETTLED: 2, REVERSED: 0 });
  });

  it('are counted with their age, each once: of webhooks, whose answers the dispatcher counts', async () => {
    const { consumer, metrics } = await armed(1, 2);
    for (let times = 0; times < 2; times++) await consumer.onAckReceived(acks('WEBHOOK', 'RECOVERY'));
    expect(metrics.settledAfterMs).toHaveLength(1);
    expect(metrics.settledAfterMs[0]).toBeGreaterThanOrEqual(3_600_000);
  });

  it('may come long after their timer: it asked and settled, so they change nothing and count as none in time (F-55, P-I3)', async () => {
    const scheduler = await armed(1);
    scheduler.closer.verdicts.set(1, 'ACKED_HTTP');
    await scheduler.clock.advance(60_000);
    await tick(scheduler);
    expect(scheduler.database.decisionRows.get(1)?.decision).toBe('SETTLED');
    await scheduler.consumer.onAckReceived(acks('WEBHOOK'));
    expect(scheduler.metrics).toMatchObject({
      settledAfterMs: [],
      contradictions: [],
      decidedCount: { SETTLED: 1, REVERSED: 0 },
    });
    expect(scheduler.database.outbox).toEqual([]);
  });

  it('fail with the error of the database about their data, by which the transport parks the one and settles the others (T-29)', async () => {
    const decide = () => Promise.reject(new DataFault('refused'));
    const refused = new AckReceivedConsumer({ decide } as unknown as DecideReversals, new CountingMetrics());
    await expect(refused.onAckReceived(acks('WEBHOOK'))).rejects.toThrow(DataFault);
  });
});
