import { partitionOf } from '@paycode/events/partitioning';

/** Shards that schedulers share out among themselves; the same hash as the dispatcher's lanes, so a lane's work meets one shard. */
export const shardCount = 256;

export function shardOf(transactionId: number): number {
  return partitionOf(String(transactionId), shardCount);
}
