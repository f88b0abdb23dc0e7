import { BeatObserver } from './domain/beat-observer';
import { planShards, type ShardRow } from './domain/plan-shards';
import type { ShardStore } from './shard-ownership.ports';

/** A replica whose beat stood still for this long is dead, in milliseconds. */
export const shardLeaseMs = 5_000;

/**
 * Flow: beat -> who is alive -> which shards are mine. Sharing out only spares double work: two owners of one shard would both ask
 * `close`, and the answer is the same for both, so safety does not rest on it.
 */
export class ShardOwnership {
  private readonly observer = new BeatObserver();
  private owned: ReadonlySet<number> = new Set();

  constructor(
    readonly replica: string,
    private readonly store: ShardStore,
    readonly leaseMs = shardLeaseMs,
  ) {}

  get shards(): ReadonlySet<number> {
    return this.owned;
  }

  /** One beat; returns the shards owned after it. `nowMs` is monotonic. */
  async turn(nowMs: number): Promise<ReadonlySet<number>> {
    const { replicas, shards } = await this.store.beat(this.replica);
    const live = new Set(replicas.filter(({ replica, beat }) => this.isLive(replica, beat, nowMs)).map(({ replica }) => replica));
    const dead = replicas.map(({ replica }) => replica).filter(replica => !live.has(replica));
    this.observer.keep(new Set(replicas.map(({ replica }) => replica)));
    const plan = planShards(this.replica, live, shards);
    const mine = new Set(shards.filter(({ owner }) => owner === this.replica).map(({ shard }) => shard));
    await this.apply(plan.claim, plan.release, mine);
    if (dead.length > 0) await this.store.forget(dead);
    return (this.owned = mine);
  }

  /** Gives every shard up, so that the others need not wait for the lease to run out. */
  async leave(): Promise<void> {
    this.owned = new Set();
    await this.store.forget([this.replica]);
  }

  private isLive(replica: string, beat: number, nowMs: number): boolean {
    return replica === this.replica || this.observer.observe(replica, beat, nowMs) < this.leaseMs;
  }

  private async apply(claim: readonly ShardRow[], release: readonly ShardRow[], mine: Set<number>): Promise<void> {
    if (release.length > 0) {
      for (const { shard } of release) mine.delete(shard);
      await this.store.release(
        this.replica,
        release.map(({ shard }) => shard),
      );
    }
    if (claim.length > 0) for (const shard of await this.store.claim(this.replica, claim)) mine.add(shard);
  }
}
