import type { CloseAnswer, CloseItem } from '@paycode/dto';
import { DataFault, FlushQueue, isolate } from '@paycode/persistence';
import { shardOf } from '@paycode/ownership';
import type { DeliveryMetrics, DeliveryStore } from '../deliveries/deliveries.ports';

/**
 * Flow: the scheduler's timer or audit asks -> a stub for a transaction without a delivery -> the stored verdict, or OPEN while an
 * owner holds the delivery. Time alone never closes a delivery here.
 */
export class CloseDeliveries {
  private readonly closes: FlushQueue<CloseItem, CloseAnswer>;

  constructor(
    store: DeliveryStore,
    private readonly metrics: DeliveryMetrics,
  ) {
    this.closes = new FlushQueue(
      async items => {
        const distinct = new Map(items.map(item => [item.transactionId, { ...item, shard: shardOf(item.transactionId) }]));
        const answers = new Map((await store.close([...distinct.values()])).map(answer => [answer.transactionId, answer]));
        return items.map(({ transactionId }) => {
          const answer = answers.get(transactionId);
          if (!answer) throw new DataFault('the store has no answer for a transaction');
          return answer;
        });
      },
      { flushMax: 1_000, queueMax: 20_000 },
    );
  }

  /**
   * A transaction whose own data fails has no answer: the scheduler asks again and decides nothing. The others get their answers
   * (T-29).
   */
  async close(items: readonly CloseItem[]): Promise<CloseAnswer[]> {
    const answers: CloseAnswer[] = [];
    await isolate(items, {
      write: async part => void answers.push(...(await this.closes.run(part))),
      failed: ({ transactionId }, error) => this.metrics.workParked('close', transactionId, error),
    });
    return answers;
  }
}
