import { ackTokenHash } from '@paycode/crypto';
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
  const consumer = new AckReceivedConsumer(
    { decide: scheduler.decide } as unknown as DecideReversals,
    scheduler.database.jobs,
    scheduler.metrics,
  );
  return { ...scheduler, consumer };
}

const tokenOf = (transactionId: number) => String(transactionId).padStart(22, 't');

/** An acknowledgement of payment 1 with this token, and what was parked of it. */
function said(ackToken?: string) {
  const [data] = acks('WEBHOOK').events.map(event => event.data as object);
  const parked: string[] = [];
  const reject = (_: unknown, reason: string) => void parked.push(reason);
  return { batch: { events: [{ data: { ...data, ackToken } }], reject } as unknown as EventBatch, parked };
}

/** proves: T-18, A-104 */
describe('an acknowledgement of a payment that was armed with a token', () => {
  const item = { transactionId: 1, merchantId: 7, attempt: 1, ackTokenHash: ackTokenHash(tokenOf(1)) };
  const prepared = async () => {
    const scheduler = await armed();
    await scheduler.arm([item]);
    return scheduler;
  };

  it('settles it with that token', async () => {
    const { consumer, database, metrics } = await prepared();
    const { batch, parked } = said(tokenOf(1));
    await consumer.onAckReceived(batch);
    expect(database.decisionRows.get(1)?.verdict).toBe('ACKED_HTTP');
    expect([parked, metrics.unprovenAcks]).toEqual([[], []]);
  });

  it.each([
    ['of an event of another payment', tokenOf(2)],
    ['that is missing', undefined],
  ])('regression: settles nothing with a token %s: it is parked, and the timer asks the dispatcher (P-I6)', async (_, token) => {
    const scheduler = await prepared();
    const { batch, parked } = said(token);
    await scheduler.consumer.onAckReceived(batch);
    expect(parked).toEqual(['it does not prove that the dispatcher wrote it']);
    expect(scheduler.metrics.unprovenAcks).toEqual(['OTHER_TOKEN 1']);
    scheduler.closer.verdicts.set(1, 'CLOSED_TIMEOUT');
    await scheduler.clock.advance(60_000);
    await tick(scheduler);
    expect(scheduler.database.decisionRows.get(1)?.decision).toBe('REVERSED');
  });

  it('of an older dispatcher, without a token, ends late and never wrongly: the timer settles (P-I3)', async () => {
    const scheduler = await prepared();
    await scheduler.consumer.onAckReceived(said().batch);
    scheduler.closer.verdicts.set(1, 'ACKED_HTTP');
    await scheduler.clock.advance(60_000);
    await tick(scheduler);
    expect(scheduler.database.decisionRows.get(1)?.decision).toBe('SETTLED');
  });

  it('contradicts nothing, and is parked, after the reversal', async () => {
    const { consumer, decide, metrics } = await prepared();
    await decide([{ transactionId: 1, merchantId: 7, verdict: 'CLOSED_TIMEOUT' }]);
    const { batch, parked } = said(tokenOf(2));
    await consumer.onAckReceived(batch);
    expect([parked.length, metrics.contradictions]).toEqual([1, []]);
  });

  it('that comes before the arming is kept: the arming with its token settles, and the payment is not posted', async () => {
    const { consumer, arm, database } = await armed();
    const { batch, parked } = said(tokenOf(1));
    await consumer.onAckReceived(batch);
    expect([parked, database.decisionRows.size]).toEqual([[], 0]);
    expect(await arm([item])).toEqual([{ transactionId: 1, decision: 'SETTLED' }]);
    expect(database.decisionRows.get(1)?.verdict).toBe('ACKED_HTTP');
  });

  it.each([[tokenOf(2)], [undefined]])('forged before the arming, it is worth nothing (%s)', async token => {
    const { consumer, arm, database } = await armed();
    await consumer.onAckReceived(said(token).batch);
    expect(await arm([item])).toEqual([{ transactionId: 1, decision: null }]);
    expect(database.decisionRows.size).toBe(0);
  });
});

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
    const refused = new AckReceivedConsumer(
      { decide } as unknown as DecideReversals,
      schedulerUnderTest().database.jobs,
      new CountingMetrics(),
    );
    await expect(refused.onAckReceived(acks('WEBHOOK'))).rejects.toThrow(DataFault);
  });
});
