import { partitionOf } from '@paycode/events/partitioning';

/** Shards of the platform. A multiple of every partition count in use, so that a shard lies in one partition. */
export const shardCount = 256;

/** Shard of a transaction: the hash that also chooses its partition, so `shardOf(id) % partitions` is the partition of its events. */
export function shardOf(transactionId: number): number {
  return partitionOf(String(transactionId), shardCount);
}

/**
 * Shards whose events arrive in the given partitions. Throws when the number of partitions does not divide the number of shards, because
 * a shard would then be in several partitions.
 */
export function shardsOfPartitions(partitions: Iterable<number>, partitionCount: number): Set<number> {
  if (shardCount % partitionCount !== 0) throw new RangeError(`${partitionCount} partitions do not divide ${shardCount} shards`);
  const assigned = new Set(partitions);
  return new Set(allShards().filter(shard => assigned.has(shard % partitionCount)));
}

export function allShards(): number[] {
  return Array.from({ length: shardCount }, (_, shard) => shard);
}
