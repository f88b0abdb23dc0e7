import type { Delivery } from '../deliveries/domain/delivery';

interface ShardLoad {
  working: number;
  waiters: (() => void)[];
}

/** Deliveries in this replica's memory by their transactionId, each as it stands now, and how many of each shard are being worked on. */
export class HeldDeliveries {
  private readonly byId = new Map<number, Delivery>();
  private readonly shards = new Map<number, ShardLoad>();
  /** Transactions being worked on, and whether their request has started. */
  private readonly working = new Map<number, 'PREPARING' | 'POSTED'>();

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

  forget(transactionId: number): void {
    this.byId.delete(transactionId);
  }

  /**
   * Between `begin` and `end` the shard cannot be handed over: a request may be in flight, or a verdict may not be written yet.
   */
  begin({ transactionId, shard }: Delivery): void {
    this.working.set(transactionId, 'PREPARING');
    this.loadOf(shard).working++;
  }

  /** Nobody works on it any more; what is still held is held as it stands now. */
  end(delivery: Delivery): void {
    const { transactionId, shard } = delivery;
    this.working.delete(transactionId);
    if (this.byId.has(transactionId)) this.byId.set(transactionId, delivery);
    const load = this.loadOf(shard);
    if (--load.working > 0) return;
    this.shards.delete(shard);
    for (const resolve of load.waiters) resolve();
  }

  finished(shard: number): Promise<void> {
    const load = this.shards.get(shard);
    return load ? new Promise(resolve => load.waiters.push(resolve)) : Promise.resolve();
  }

  /** The request has started. */
  posted(transactionId: number): void {
    if (this.working.has(transactionId)) this.working.set(transactionId, 'POSTED');
  }

  /** Shards with a delivery that is claimed, or being claimed, and whose request has not started. */
  shardsWithClaims(): Set<number> {
    const shards = new Set<number>();
    for (const { transactionId, shard, isClaimed } of this.byId.values()) {
      const work = this.working.get(transactionId);
      if (work ? work === 'PREPARING' : isClaimed) shards.add(shard);
    }
    return shards;
  }

  /** Receipt of the oldest delivery that is not concluded, monotonic; undefined when there is none. */
  get oldestReceivedMs(): number | undefined {
    let oldest: number | undefined;
    for (const { receivedMs } of this.byId.values()) if (oldest === undefined || receivedMs < oldest) oldest = receivedMs;
    return oldest;
  }

  /**
   * Receipt of the oldest delivery of which nothing was sent yet, monotonic; undefined when there is none. `isOurs`: whether it waits for us, and not
   * for its own receiver.
   */
  oldestUnattemptedMs(isOurs: (delivery: Delivery) => boolean): number | undefined {
    let oldest: number | undefined;
    for (const delivery of this.byId.values()) {
      const isOlder = oldest === undefined || delivery.receivedMs < oldest;
      if (isOlder && this.isUnattempted(delivery, isOurs)) oldest = delivery.receivedMs;
    }
    return oldest;
  }

  private isUnattempted(delivery: Delivery, isOurs: (delivery: Delivery) => boolean): boolean {
    if (delivery.attempt > 1 || delivery.isRepeat) return false;
    const work = this.working.get(delivery.transactionId);
    return work === undefined ? isOurs(delivery) : work === 'PREPARING';
  }

  private loadOf(shard: number): ShardLoad {
    let load = this.shards.get(shard);
    if (!load) this.shards.set(shard, (load = { working: 0, waiters: [] }));
    return load;
  }
}
