import type { HeldShard, ShardListener } from '@paycode/ownership';
import type { DeliveryQueue } from '../queueing/delivery-queue';
import type { TakeOverDeliveries } from '../takeover/take-over-deliveries';

/** Reacts to changes of shards: recovers gained ones, drops lost ones, and finishes claimed work before it gives one up. */
export class ShardChanges implements ShardListener {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly takeover: TakeOverDeliveries,
  ) {}

  gained(shards: readonly HeldShard[]): void {
    this.takeover.gained(shards);
  }

  /** From here on new rows are left to the next owner; deliveries claimed before still start first. */
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
