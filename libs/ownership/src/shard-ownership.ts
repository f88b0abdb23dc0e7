import { FlushQueue } from '@paycode/persistence';
import type { Clock } from '@paycode/service-runtime/timing';
import { type Assignment, shardCount } from './assignment';
import { FailureDetector } from './failure-detector';
import type { HeldShard, OwnershipRows, ShardListener, ShardRow, ShardStore } from './ownership.ports';

export interface ShardOwnershipOptions {
  /** Identity of this process; a restarted one has another. */
  replica: string;
  /** Where this process runs, and every earlier one has ended (P-T10): a pod's uid. Undefined: their shards are free after the lease. */
  instance?: string;
  /** L of P-T6: an owner is dead when its heartbeat has not changed for this long, in milliseconds. */
  leaseMs: number;
  /** Which shards the replica should have. Default: those that `want` names. */
  assignment?: Assignment;
}

/** Every second, or more often under a short lease, because a heartbeat older than half a lease stops all POSTs (P-T6). */
const heartbeatMsMax = 1_000;
const heartbeatsPerLease = 5;
/** A live replica whose lock fell sends a heartbeat within two intervals or so, or takes the lock again (P-T11). */
const graceHeartbeats = 1.5;
/** Pause between two passes while a lock is missed. */
const missedMs = 200;
const noShards: ReadonlySet<number> = new Set();

const nobody: ShardListener = {
  gained: () => undefined,
  ending: () => Promise.resolve(),
  lost: () => undefined,
  finished: () => Promise.resolve(),
};

/**
 * Flow of a pass: succeed who was here before, once -> heartbeat -> find shards that are free or of dead owners -> take the wanted ones -> report gained and lost shards to the
 * listener. Ownership is per epoch: every later write names the epoch, and the database refuses it when the shard has another owner or
 * epoch.
 */
export class ShardOwnership {
  private readonly owned = new Map<number, number>();
  /** Shards that are being given up, each with the work that gives it up, from the first step to the last. */
  private readonly ending = new Map<number, Promise<void>>();
  /** Those of them in which no work starts any more. */
  private readonly releasing = new Set<number>();
  /** Shards whose release failed, with the epoch: no work starts in them any more. */
  private readonly unreleased = new Map<number, number>();
  /** Last released epoch per shard: rows read before the release committed still show this replica as the owner. */
  private readonly released = new Map<number, number>();
  /** Shards that end at the same time are released by one statement. */
  private readonly releases: FlushQueue<HeldShard, void>;
  private readonly detector: FailureDetector;
  private listener: ShardListener = nobody;
  private wanted = noShards;
  /** As the last heartbeat began. */
  private sessionsEnded = 0;
  private lastHeartbeatMs = Number.NEGATIVE_INFINITY;
  private isLeaving = false;
  private hasSucceeded = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: ShardStore,
    private readonly clock: Pick<Clock, 'nowMs'>,
    private readonly options: ShardOwnershipOptions,
  ) {
    this.detector = new FailureDetector(options.replica, this);
    const release = async (held: readonly HeldShard[]) => {
      await this.store.release(this.replica, held);
      return held.map(() => undefined);
    };
    this.releases = new FlushQueue(release, { flushMax: shardCount, queueMax: shardCount });
  }

  get replica(): string {
    return this.options.replica;
  }

  /** A replica is dead when its heartbeat has not changed for this long, in milliseconds. */
  get leaseMs(): number {
    return this.options.leaseMs;
  }

  /** Interval of heartbeats, in milliseconds. */
  get heartbeatMs(): number {
    return Math.min(heartbeatMsMax, this.options.leaseMs / heartbeatsPerLease);
  }

  /** A replica whose lock fell is dead when its heartbeat has not changed for this long, in milliseconds (P-T11). */
  get graceMs(): number {
    return graceHeartbeats * this.heartbeatMs;
  }

  /** Pause before the next pass, in milliseconds: a heartbeat, or less while a lock is missed, because its owner may be dead (P-T11). */
  get nextPassMs(): number {
    return this.detector.isLockMissing ? Math.min(missedMs, this.heartbeatMs) : this.heartbeatMs;
  }

  /** Sets the listener for gained and lost shards. */
  onChange(listener: ShardListener): void {
    this.listener = listener;
  }

  /** Sets the shards that this replica should own when there is no assignment. Takes effect with the next pass. */
  want(shards: ReadonlySet<number>): void {
    this.wanted = shards;
  }

  /** Epoch under which this replica holds the shard and may start work in it; undefined when it may not. */
  epochOf(shard: number): number | undefined {
    return this.releasing.has(shard) || this.unreleased.has(shard) ? undefined : this.owned.get(shard);
  }

  /**
   * Whether no other replica can judge this one dead yet: an owner without a heartbeat for L/2 starts no POST (P-T6), and neither does one that
   * knows that its session ended after its last heartbeat (P-T11).
   */
  get isHeartbeatFresh(): boolean {
    if (this.sessionsEnded !== this.store.sessionsEnded) return false;
    return this.clock.nowMs() - this.lastHeartbeatMs < this.options.leaseMs / 2;
  }

  /** Every shard that this replica owns in the database, including those that are being given up. */
  get held(): HeldShard[] {
    return [...this.owned].map(([shard, epoch]) => ({ shard, epoch }));
  }

  /** Shards that this replica owns and does not give up, as far as it knows. */
  get shards(): Set<number> {
    return new Set([...this.owned.keys()].filter(shard => !this.ending.has(shard) && !this.unreleased.has(shard)));
  }

  /** One heartbeat with all its consequences. Passes never overlap; a failed one rejects and changes nothing. */
  pass(): Promise<void> {
    return (this.running = this.running.catch(() => undefined).then(() => this.passOnce()));
  }

  /** Gives up every shard when no work in it is in flight; the heartbeat continues meanwhile. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    await Promise.all(this.held.map(held => this.giveUp(held)));
    await this.pass();
    // A pass that was under way when leaving began may have taken some.
    await Promise.all(this.held.map(held => this.giveUp(held)));
    await this.store.forget([this.replica]);
  }

  private async passOnce(): Promise<void> {
    await this.succeedOnce();
    const startedMs = this.clock.nowMs();
    const { sessionsEnded } = this.store;
    const rows = await this.store.heartbeat(this.replica);
    this.sessionsEnded = sessionsEnded;
    this.lastHeartbeatMs = startedMs;
    const dead = this.detector.deadOf(rows, { askedMs: startedMs, readMs: this.clock.nowMs() });
    const wanted = this.isLeaving ? noShards : this.assigned(rows, dead);
    const owned = rows.shards.filter(row => row.owner === this.replica);
    this.reconcile(owned);
    // A shard is given up completely, even when it is wanted again meanwhile: its waiting deliveries were dropped under this epoch, and
    // only a new epoch makes an owner look for them.
    const unwanted = owned.filter(({ shard, epoch }) => !wanted.has(shard) || this.unreleased.get(shard) === epoch);
    for (const { shard, epoch } of unwanted) if (!this.isLeaving) void this.giveUp({ shard, epoch }).catch(() => undefined);
    const isFree = ({ owner }: ShardRow) => owner === null || dead.has(owner);
    await this.take(rows.shards.filter(row => wanted.has(row.shard) && isFree(row) && !this.ending.has(row.shard)));
    const gone = rows.replicas.map(({ replica }) => replica).filter(replica => dead.has(replica));
    if (gone.length > 0) await this.store.forget(gone);
  }

  /** The former process of this instance has ended, so its shards need not wait for the lease (P-T10). */
  private async succeedOnce(): Promise<void> {
    const { replica, instance } = this.options;
    if (instance === undefined || this.hasSucceeded) return;
    await this.store.succeed(replica, instance);
    this.hasSucceeded = true;
  }

  private assigned({ replicas, shards }: OwnershipRows, dead: ReadonlySet<string>): ReadonlySet<number> {
    const { assignment } = this.options;
    if (!assignment) return this.wanted;
    const live = new Set(replicas.map(({ replica }) => replica).filter(replica => !dead.has(replica)));
    return assignment({ self: this.replica, live: live.add(this.replica), shards });
  }

  private async take(free: readonly ShardRow[]): Promise<void> {
    if (free.length === 0) return;
    const gained = await this.store.take(this.replica, free);
    for (const { shard, epoch } of gained) this.owned.set(shard, epoch);
    if (gained.length > 0) this.listener.gained(gained);
  }

  /** The database decides: a shard that it does not assign to this replica at this epoch is lost. */
  private reconcile(owned: readonly HeldShard[]): void {
    const epochs = new Map(owned.map(({ shard, epoch }) => [shard, epoch]));
    const lost = this.held.filter(({ shard, epoch }) => epochs.get(shard) !== epoch);
    for (const { shard } of lost) this.owned.delete(shard);
    for (const [shard, epoch] of this.unreleased) if (epochs.get(shard) !== epoch) this.unreleased.delete(shard);
    if (lost.length > 0) this.listener.lost(lost);
    // An earlier pass took these shards and its answer was lost: the database has the new epoch, this memory does not.
    const found = owned.filter(({ shard, epoch }) => !this.owned.has(shard) && epoch > (this.released.get(shard) ?? 0));
    for (const { shard, epoch } of found) this.owned.set(shard, epoch);
    if (found.length > 0) this.listener.gained(found.map(({ shard, epoch }) => ({ shard, epoch })));
  }

  /** Every caller waits for the same work: a replica that leaves may not forget itself while a shard is being given up (P-T9). */
  private giveUp(held: HeldShard): Promise<void> {
    let ending = this.ending.get(held.shard);
    if (!ending) {
      ending = this.end(held).finally(() => this.ending.delete(held.shard));
      this.ending.set(held.shard, ending);
    }
    return ending;
  }

  private async end(held: HeldShard): Promise<void> {
    try {
      await this.listener.ending(held);
      this.releasing.add(held.shard);
      this.listener.lost([held]);
      await this.listener.finished(held.shard);
      // No work starts in a shard that is being released, so the next pass can safely repeat a failed release.
      await this.releases.runOne(held);
      this.released.set(held.shard, held.epoch);
      if (this.owned.get(held.shard) === held.epoch) this.owned.delete(held.shard);
      this.unreleased.delete(held.shard);
    } catch (error) {
      this.unreleased.set(held.shard, held.epoch);
      throw error;
    } finally {
      this.releasing.delete(held.shard);
    }
  }
}

/** The part of ownership that other code of a service may use: its replica id, its epochs, and whether it may start a POST. */
export type OwnedShards = Pick<ShardOwnership, 'replica' | 'epochOf' | 'isHeartbeatFresh'>;
