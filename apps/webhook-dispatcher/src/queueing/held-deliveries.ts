import type { Delivery } from '../deliveries';

interface ShardLoad {
  working: number;
  waiters: (() => void)[];
}

/** Deliveries in this replica's memory, and how many of each shard are being worked on. */
export class HeldDeliveries {
  private readonly byId = new Map<number, Delivery>();
  private readonly shards = new Map<number, ShardLoad>();
  /** Deliveries being worked on, and whether their request has started. */
  private readonly working = new Map<Delivery, { isPosted: boolean }>();

  get size(): number {
    return this.byId.size;
  }

  has(transactionId: number): boolean {
    return this.byId.has(transactionId);
  }

  /** False when the transaction is held already. */
  add(delivery: Delivery): boolean {
    if (this.byId.has(delivery.transactionId)) return false;
    this.byId.set(delivery.transactionId, delivery);
    return true;
  }

  forget(delivery: Delivery): void {
    if (this.byId.get(delivery.transactionId) === delivery) this.byId.delete(delivery.transactionId);
  }

  /** Between `begin` and `end` the shard is not finished: a request may be under way or a verdict on its way to the database. */
  begin(delivery: Delivery): void {
    this.working.set(delivery, { isPosted: false });
    this.loadOf(delivery.shard).working++;
  }

  end(delivery: Delivery): void {
    this.working.delete(delivery);
    const load = this.loadOf(delivery.shard);
    if (--load.working > 0) return;
    this.shards.delete(delivery.shard);
    for (const resolve of load.waiters) resolve();
  }

  finished(shard: number): Promise<void> {
    const load = this.shards.get(shard);
    return load ? new Promise(resolve => load.waiters.push(resolve)) : Promise.resolve();
  }

  /** The request has started. */
  posted(delivery: Delivery): void {
    const work = this.working.get(delivery);
    if (work) work.isPosted = true;
  }

  /** Shards in which something is claimed, or about to be, whose request has not started. */
  shardsWithClaims(): Set<number> {
    const shards = new Set<number>();
    for (const delivery of this.byId.values()) {
      const work = this.working.get(delivery);
      if (work ? !work.isPosted : delivery.isClaimed) shards.add(delivery.shard);
    }
    return shards;
  }

  /** Receipt of the oldest delivery that is not concluded, monotonic; undefined when there is none. */
  get oldestReceivedMs(): number | undefined {
    let oldest: number | undefined;
    for (const { receivedMs } of this.byId.values()) if (oldest === undefined || receivedMs < oldest) oldest = receivedMs;
    return oldest;
  }

  private loadOf(shard: number): ShardLoad {
    let load = this.shards.get(shard);
    if (!load) this.shards.set(shard, (load = { working: 0, waiters: [] }));
    return load;
  }
}
