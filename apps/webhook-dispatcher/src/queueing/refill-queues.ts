import type { ShardOwnership } from '@paycode/ownership';
import type { DeliveryStore, StoredDelivery } from '../deliveries/deliveries.ports';
import type { DeliveryQueue } from './delivery-queue';

const merchantsPerPass = 64;
const rowsPerMerchantMax = 200;

export interface RefillReader {
  seen(rows: readonly StoredDelivery[]): Promise<void>;
  takeUp(rows: readonly StoredDelivery[]): void;
}

/**
 * Flow: a queue has room again -> the merchant's oldest deliveries from the database. Each merchant is read separately, so a million
 * waiting rows of one merchant do not slow down the others (P-1.9).
 */
export class RefillQueues {
  constructor(
    private readonly store: DeliveryStore,
    private readonly queue: DeliveryQueue,
    private readonly shards: Pick<ShardOwnership, 'held' | 'epochOf'>,
  ) {}

  /** Passes the rows that it reads to `takeUp`. When `seen` fails, it reads them again. */
  async pass({ seen, takeUp }: RefillReader): Promise<void> {
    const { backlog } = this.queue;
    const places = this.queue.places();
    const cursors = backlog.next(merchantsPerPass).flatMap(({ merchantId, afterSeq }) => {
      const limit = places(merchantId, rowsPerMerchantMax);
      return limit > 0 ? [{ merchantId, afterSeq, limit }] : [];
    });
    if (cursors.length === 0) return;
    const held = this.shards.held.map(({ shard }) => shard).filter(shard => this.shards.epochOf(shard) !== undefined);
    const rows = await this.store.waiting(held, cursors);
    await seen(rows);
    for (const { merchantId, afterSeq, limit } of cursors) {
      const page = rows.filter(row => row.merchantId === merchantId);
      backlog.wasRead(merchantId, afterSeq, page.length < limit ? undefined : page.at(-1)!.seq);
    }
    takeUp(rows);
  }
}
