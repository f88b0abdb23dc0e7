import { DataFault } from '@paycode/persistence';
import type { SettleItem } from '@paycode/dto';
import type { EventBatch } from '@paycode/events';
import type { DecideReversals } from '../decide-reversals';
import { AckReceivedConsumer } from './ack-received.consumer';

const acks = (...sources: string[]) => {
  const events = sources.map((source, at) => ({
    data: {
      transactionId: at + 1,
      merchantId: 7,
      source,
      attempt: 1,
      elapsedMs: null,
      acknowledgedAt: '2026-01-01T00:00:00.000Z',
    },
  }));
  return { events, reject: (_: unknown, reason: string) => expect(reason).toBe('') } as unknown as EventBatch;
};

describe('acknowledgements that come as events', () => {
  const consumer = (decide: (verdicts: readonly SettleItem[]) => Promise<unknown>) =>
    new AckReceivedConsumer({ decide } as unknown as DecideReversals);

  it('settle the payments, whether they came by webhook or by recovery (P-I10)', async () => {
    const told: SettleItem[] = [];
    await consumer(async verdicts => told.push(...verdicts)).onAckReceived(acks('WEBHOOK', 'RECOVERY'));
    expect(told).toEqual([
      { transactionId: 1, merchantId: 7, verdict: 'ACKED_HTTP' },
      { transactionId: 2, merchantId: 7, verdict: 'ACKED_PULL' },
    ]);
  });

  it('fail with the error of the database about their data, by which the transport parks the one and settles the others (T-29)', async () => {
    const refused = consumer(() => Promise.reject(new DataFault('refused')));
    await expect(refused.onAckReceived(acks('WEBHOOK'))).rejects.toThrow(DataFault);
  });
});
