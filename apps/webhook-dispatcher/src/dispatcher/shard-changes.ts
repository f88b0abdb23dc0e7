import type { HeldShard, ShardListener } from '@paycode/ownership';
import type { DeliveryQueue } from '../queueing';
import type { TakeOverDeliveries } from '../takeover';

/** What a change of shards means here: new ones are recovered, lost ones dropped, given-up ones finished first. */
export class ShardChanges implements ShardListener {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly takeover: TakeOverDeliveries,
  ) {}

  gained(shards: readonly HeldShard[]): void {
    this.takeover.gained(shards);
  }

  /** Rows are left to the next owner from here on; what is claimed already starts first. */
  async ending(shard: HeldShard): Promise<void> {
    this.takeover.lost([shard]);
    this.queue.dropUnclaimed([shard]);
    await this.queue.claimsStarted(shard.shard);
  }

  lost(shards: readonly HeldShard[]): void {
    this.takeover.lost(shards);
    this.queue.drop(shards);
  }

  finished(shard: number): Promise<void> {
    return this.queue.finished(shard);
  }
}
