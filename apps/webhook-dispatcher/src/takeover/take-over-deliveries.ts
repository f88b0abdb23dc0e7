import type { Clock } from '@paycode/service-runtime/timing';
import type { HeldShard, OwnedShards } from '@paycode/ownership';
import type { DeliveryStore, ShardCursor, StoredDelivery } from '../deliveries/deliveries.ports';
import { type AttemptRules, planAttempt } from '../deliveries/domain/attempt-rules';
import { type Delivery, deliveryFromRow } from '../deliveries/domain/delivery';
import type { Admission, DeliveryQueue } from '../queueing/delivery-queue';
import type { RefillQueues } from '../queueing/refill-queues';
import type { ConcludeDelivery } from '../verdicts/conclude-delivery';
import { SteadyAge } from './steady-age';

/** Rows of one shard read at once. */
const pageMax = 200;
/** Shards per sweep. It is limited because a sweep briefly waits for inserts into its shards. */
const shardsPerSweep = 64;
/**
 * How often this replica searches for its own claims that nobody works on, and their minimum age. It is longer than any statement may
 * take.
 */
const forgottenMs = 60_000;

interface ShardProgress {
  epoch: number;
  /** Position among deliveries claimed by former owners; undefined when all are taken over. */
  orphansAfter: number | undefined;
  sweptTo: number;
}

/**
 * Flow: shards gained -> deliveries that former owners left open (A-12, A-13) -> then, one group of shards after the other, deliveries that
 * other replicas stored in this replica's shards. Runs in passes; a failed pass is repeated.
 */
export class TakeOverDeliveries {
  private readonly shards = new Map<number, ShardProgress>();
  private readonly ages = new SteadyAge();
  private lastSwept = -1;
  private lastForgottenSearchMs: number;

  constructor(
    private readonly store: DeliveryStore,
    private readonly queue: DeliveryQueue,
    private readonly concluding: ConcludeDelivery,
    private readonly ownership: OwnedShards,
    private readonly options: { rules: AttemptRules; clock: Clock; refill: RefillQueues },
  ) {
    this.lastForgottenSearchMs = options.clock.nowMs();
  }

  gained(shards: readonly HeldShard[]): void {
    for (const { shard, epoch } of shards) this.shards.set(shard, { epoch, orphansAfter: 0, sweptTo: 0 });
    this.queue.backlog.restart();
  }

  lost(shards: readonly HeldShard[]): void {
    for (const { shard, epoch } of shards) if (this.shards.get(shard)?.epoch === epoch) this.shards.delete(shard);
  }

  /**
   * A delivery of this replica ended without a verdict. If the replica lost the shard and owns it again, it must look
   * for the delivery itself.
   */
  fenced({ shard, epoch }: Delivery): void {
    const progress = this.shards.get(shard);
    if (progress && progress.epoch !== epoch) this.gained([{ shard, epoch: progress.epoch }]);
  }

  /** Shards whose former owners' deliveries are not all taken up yet. */
  get shardsRecovering(): number {
    return [...this.shards.values()].filter(progress => progress.orphansAfter !== undefined).length;
  }

  async pass(): Promise<void> {
    await this.lookAtClock();
    if (!this.queue.hasRoom) return;
    await this.takeUpOrphans();
    if (this.queue.hasRoom) await this.sweep();
    // It never runs during a sweep, because the sweep skips merchants that are read here.
    if (this.queue.hasRoom) await this.refill();
    if (this.queue.hasRoom) await this.takeUpForgotten();
  }

  private async takeUpOrphans(): Promise<void> {
    const cursors = this.cursors(progress => progress.orphansAfter);
    if (cursors.length === 0) return;
    const before = new Map(this.shards);
    const found = await this.store.orphaned(cursors, pageMax);
    for (const { shard } of cursors) {
      const page = found.filter(row => row.shard === shard);
      const progress = this.unchanged(shard, before);
      if (progress) progress.orphansAfter = page.length < pageMax ? undefined : page.at(-1)!.seq;
    }
    this.takeUp(found, before);
  }

  private async sweep(): Promise<void> {
    const held = [...this.shards.keys()].sort((a, b) => a - b);
    const ahead = held.filter(shard => shard > this.lastSwept).slice(0, shardsPerSweep);
    const group = new Set(ahead.length > 0 ? ahead : held.slice(0, shardsPerSweep));
    if (group.size === 0) return;
    this.lastSwept = Math.max(...group);
    const cursors = this.cursors(progress => progress.sweptTo).filter(({ shard }) => group.has(shard));
    const before = new Map(this.shards);
    const page = { limitPerShard: pageMax, exceptMerchants: this.queue.backlog.filling };
    const swept = await this.store.sweep(this.ownership.replica, cursors, page);
    await this.seen(swept.flatMap(({ unclaimed }) => unclaimed));
    for (const { shard, horizonSeq, unclaimed } of swept) {
      const progress = this.unchanged(shard, before);
      if (progress) progress.sweptTo = horizonSeq;
      this.takeUp(unclaimed, before);
    }
  }

  private async refill(): Promise<void> {
    const before = new Map(this.shards);
    await this.options.refill.pass({
      seen: rows => this.seen(rows),
      takeUp: rows => this.takeUp(rows, before, () => 'QUEUE'),
    });
  }

  /**
   * Finds deliveries that an insert of this replica claimed, whose answer was lost, and whose event went to another replica. They are
   * claimed under this replica's epoch, and no memory holds them. Without this search such a delivery would stay open until its shard
   * moves.
   */
  private async takeUpForgotten(): Promise<void> {
    if (this.options.clock.nowMs() - this.lastForgottenSearchMs < forgottenMs) return;
    this.lastForgottenSearchMs = this.options.clock.nowMs();
    // Under the next epoch, claims of this one count as orphaned.
    const cursors = this.cursors(() => 0).map(cursor => ({ ...cursor, epoch: cursor.epoch + 1 }));
    if (cursors.length === 0) return;
    const before = new Map(this.shards);
    const found = await this.store.orphaned(cursors, pageMax);
    this.takeUp(
      found.filter(({ ageMs }) => ageMs > forgottenMs),
      before,
    );
  }

  /** The shard's progress; undefined when it restarted during the query, because the answer then does not fit its position. */
  private unchanged(shard: number, before: ReadonlyMap<number, ShardProgress>): ShardProgress | undefined {
    const progress = this.shards.get(shard);
    return progress === before.get(shard) ? progress : undefined;
  }

  private cursors(positionOf: (progress: ShardProgress) => number | undefined): ShardCursor[] {
    return [...this.shards].flatMap(([shard, progress]) => {
      const afterSeq = positionOf(progress);
      return afterSeq === undefined ? [] : [{ shard, epoch: progress.epoch, afterSeq }];
    });
  }

  /** Skips rows of shards that moved during the query: another owner may have claimed them since, and their shard restarts. */
  private takeUp(
    rows: readonly StoredDelivery[],
    before: ReadonlyMap<number, ShardProgress>,
    admit: (merchantId: number) => Admission = this.queue.admissions(),
  ): void {
    const left: number[] = [];
    const deliveries = rows.flatMap(row => {
      const epoch = this.ownership.epochOf(row.shard);
      if (epoch === undefined || !this.unchanged(row.shard, before) || this.queue.has(row.transactionId)) return [];
      const plan = this.planOf(row);
      if (plan.next === 'CLOSE') {
        void this.close(this.deliveryOf(row, epoch), plan.kind);
        return [];
      }
      // A delivery that may have been sent is always taken: there are never more of them than there were sockets.
      if (row.attemptsClaimed > 0 || admit(row.merchantId) !== 'LEAVE') return [this.deliveryOf(row, epoch, plan.attempt)];
      left.push(row.merchantId);
      return [];
    });
    this.queue.accept(deliveries);
    for (const merchantId of left) this.queue.backlog.note(merchantId);
  }

  /** Before a row is closed by its age: the store's clock may have been set just before it was read. A row that was read and not taken up is read again. */
  private async seen(rows: readonly StoredDelivery[]): Promise<void> {
    if (rows.some(row => this.planOf(row).next === 'CLOSE')) await this.lookAtClock();
  }

  private async lookAtClock(): Promise<void> {
    const { clock } = this.options;
    const fromMs = clock.nowMs();
    const storeMs = await this.store.nowMs();
    this.ages.look(storeMs, { fromMs, toMs: clock.nowMs() });
  }

  private planOf(row: StoredDelivery): ReturnType<typeof planAttempt> {
    return planAttempt({ ...row, ageMs: this.ageOf(row) }, this.options.rules);
  }

  private ageOf({ ageMs }: StoredDelivery): number {
    return this.ages.of(ageMs, this.options.clock.nowMs());
  }

  /** Holds the delivery until its verdict is written, so that no other search takes it meanwhile (P-I4). */
  private async close(delivery: Delivery, kind: 'CLOSED_EXHAUSTED' | 'CLOSED_BACKSTOP'): Promise<void> {
    if (!this.queue.takeToConclude(delivery)) return;
    const concluded = await this.concluding.without(delivery, kind, null);
    this.queue.finish(delivery);
    if (concluded.next === 'FENCED') this.fenced(delivery);
  }

  private deliveryOf(row: StoredDelivery, epoch: number, attempt = 1): Delivery {
    // A further attempt gets the whole window, however old the payment is.
    const receivedMs = this.options.clock.nowMs() - (row.attemptsClaimed === 0 ? this.ageOf(row) : 0);
    return deliveryFromRow(row, { epoch, receivedMs, attempt });
  }
}
