import { partitionOf } from '@paycode/events/partitioning';
import type { ShardRow } from './ownership.ports';

/** Input for a replica that decides which shards it should have. */
export interface OwnershipView {
  self: string;
  /** Replicas that are alive, this one among them. */
  live: ReadonlySet<string>;
  shards: readonly ShardRow[];
}

/** Which shards a replica should have. */
export type Assignment = (view: OwnershipView) => ReadonlySet<number>;

/**
 * The live replicas share all shards evenly; each computes its own part. A replica keeps its shards up to its quota, and fills the rest
 * from free shards and those of dead replicas. Pure.
 */
export function evenShare({ self, live, shards }: OwnershipView): Set<number> {
  const mine = shards.filter(({ owner }) => owner === self);
  const quota = quotaOf(self, live, shards.length);
  const free = shards.filter(({ owner }) => owner === null || !live.has(owner));
  return new Set([...mine, ...free].slice(0, quota).map(({ shard }) => shard));
}

function quotaOf(self: string, live: ReadonlySet<string>, total: number): number {
  const members = [...live].sort();
  const rank = members.indexOf(self);
  return Math.floor(total / members.length) + (rank < total % members.length ? 1 : 0);
}

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
