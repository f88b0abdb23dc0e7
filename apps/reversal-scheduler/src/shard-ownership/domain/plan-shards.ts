export interface ShardRow {
  shard: number;
  owner: string | null;
  epoch: number;
}

export interface ShardPlan {
  /** Shards to take, each only if its epoch is still the one seen. */
  claim: ShardRow[];
  /** Own shards to give up, so that a replica with too few can take them. */
  release: ShardRow[];
}

/** What `me` should do so that the live replicas (me among them) share all shards evenly. Pure; every replica computes its own part. */
export function planShards(me: string, live: ReadonlySet<string>, shards: readonly ShardRow[]): ShardPlan {
  const mine = shards.filter(({ owner }) => owner === me);
  const quota = quotaOf(me, live, shards.length);
  const free = shards.filter(({ owner }) => owner === null || (owner !== me && !live.has(owner)));
  return {
    claim: free.slice(0, Math.max(0, quota - mine.length)),
    release: mine.slice(quota),
  };
}

function quotaOf(me: string, live: ReadonlySet<string>, total: number): number {
  const members = [...new Set(live).add(me)].sort();
  const rank = members.indexOf(me);
  return Math.floor(total / members.length) + (rank < total % members.length ? 1 : 0);
}
