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
