import type { DeliveryStore, StoredDelivery } from '../deliveries';
import type { OwnLanes } from '../lanes';
import type { DeliveryDesk } from './delivery-desk.service';

const merchantsPerTurn = 64;
const rowsPerMerchantMax = 200;

/**
 * Flow: a queue has room again -> the merchant's oldest deliveries from the database. Each merchant is read on its own, so a million waiting
 * rows of one cost the others nothing (1.9).
 */
export class RefillQueues {
  constructor(
    private readonly store: DeliveryStore,
    private readonly desk: DeliveryDesk,
    private readonly lanes: Pick<OwnLanes, 'lanes' | 'epochOf'>,
  ) {}

  /** Hands what it read to `takeUp`. */
  async turn(takeUp: (rows: readonly StoredDelivery[]) => void): Promise<void> {
    const { backlog } = this.desk;
    const places = this.desk.places();
    const cursors = backlog.next(merchantsPerTurn).flatMap(({ merchantId, afterSeq }) => {
      const limit = places(merchantId, rowsPerMerchantMax);
      return limit > 0 ? [{ merchantId, afterSeq, limit }] : [];
    });
    if (cursors.length === 0) return;
    const held = this.lanes.lanes.map(({ lane }) => lane).filter(lane => this.lanes.epochOf(lane) !== undefined);
    const rows = await this.store.waiting(held, cursors);
    for (const { merchantId, afterSeq, limit } of cursors) {
      const page = rows.filter(row => row.merchantId === merchantId);
      backlog.wasRead(merchantId, afterSeq, page.length < limit ? undefined : page.at(-1)!.seq);
    }
    takeUp(rows);
  }
}
