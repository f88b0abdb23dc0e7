import type { CloseAnswer, CloseItem } from '@paycode/dto';
import { FlushQueue } from '@paycode/persistence';
import { laneOf } from '../lanes';
import type { DeliveryStore } from './deliveries.ports';

/**
 * Flow: the scheduler's timer or audit asks -> stub for what never came -> the verdict that stands, or OPEN while an owner holds the
 * delivery. Time alone never closes anything here.
 */
export class CloseDeliveries {
  private readonly closes: FlushQueue<CloseItem, CloseAnswer>;

  constructor(store: DeliveryStore) {
    this.closes = new FlushQueue(
      async items => {
        const distinct = new Map(items.map(item => [item.transactionId, { ...item, lane: laneOf(item.transactionId) }]));
        const answers = new Map((await store.close([...distinct.values()])).map(answer => [answer.transactionId, answer]));
        return items.map(item => answers.get(item.transactionId)!);
      },
      { flushMax: 1_000, queueMax: 20_000 },
    );
  }

  close(items: readonly CloseItem[]): Promise<CloseAnswer[]> {
    return this.closes.run(items);
  }
}
