import type { Clock } from '@paycode/timing';
import { type HeldLane, type LaneRow, LaneWatch } from './domain/lane-watch';
import type { LaneListener, OwnedLanes, LaneStore } from './lanes.ports';

export interface LaneOwnershipOptions {
  /** Identity of this process; a restarted one has another. */
  replica: string;
  /** L of P-T6: an owner whose beat stood still for this long is dead, in milliseconds. */
  leaseMs: number;
}

/** Every second; oftener under a short lease, for a beat that is half a lease old holds every POST back (P-T6). */
const beatMsMax = 1_000;
const beatsPerLease = 5;

const nobody: LaneListener = {
  gained: () => undefined,
  ending: () => Promise.resolve(),
  lost: () => undefined,
  finished: () => Promise.resolve(),
};

/**
 * Flow of a pass: beat -> which lanes are free or of dead owners -> take those wanted -> tell the listener what was gained and lost.
 * Owning is per epoch: whoever acts later names the epoch, and the database refuses it once the lane has moved on.
 */
export class LaneOwnership implements OwnedLanes {
  private readonly held = new Map<number, number>();
  /** Lanes on their way out, from the first step to the last. */
  private readonly ending = new Set<number>();
  /** Those of them in which nothing starts any more. */
  private readonly releasing = new Set<number>();
  /** Lanes whose release did not succeed, with the epoch: nothing starts in them any more. */
  private readonly unreleased = new Map<number, number>();
  /** Last epoch given up per lane: a beat read before the release committed still shows it as ours. */
  private readonly released = new Map<number, number>();
  private readonly watch: LaneWatch;
  private listener: LaneListener = nobody;
  private wanted: ReadonlySet<number> = new Set();
  private lastBeatMs = Number.NEGATIVE_INFINITY;
  private isLeaving = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: LaneStore,
    private readonly clock: Clock,
    private readonly options: LaneOwnershipOptions,
  ) {
    this.watch = new LaneWatch(options.replica, options.leaseMs);
  }

  get replica(): string {
    return this.options.replica;
  }

  /** A replica whose beat stood still for this long is dead, in milliseconds. */
  get leaseMs(): number {
    return this.options.leaseMs;
  }

  /** Pause between two passes, in milliseconds. */
  get beatMs(): number {
    return Math.min(beatMsMax, this.options.leaseMs / beatsPerLease);
  }

  /** Who is told what was gained and lost. */
  onChange(listener: LaneListener): void {
    this.listener = listener;
  }

  /** Lanes of the partitions assigned to this replica. Takes effect with the next pass. */
  want(lanes: ReadonlySet<number>): void {
    this.wanted = lanes;
  }

  /** Epoch under which this replica holds the lane and may start work in it; undefined when it may not. */
  epochOf(lane: number): number | undefined {
    return this.releasing.has(lane) || this.unreleased.has(lane) ? undefined : this.held.get(lane);
  }

  /** Whether this replica certainly is not taken for dead yet: an owner that could not beat for L/2 starts no POST (P-T6). */
  get isBeatFresh(): boolean {
    return this.clock.nowMs() - this.lastBeatMs < this.options.leaseMs / 2;
  }

  get lanes(): HeldLane[] {
    return [...this.held].map(([lane, epoch]) => ({ lane, epoch }));
  }

  /** One beat with all its consequences. Passes never overlap; a failed one rejects and changes nothing. */
  pass(): Promise<void> {
    return (this.running = this.running.catch(() => undefined).then(() => this.beatOnce()));
  }

  /** Gives every lane up as soon as nothing in it is in flight; the beat goes on meanwhile. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    await Promise.all(this.lanes.map(held => this.giveUp(held)));
    await this.pass();
    await this.store.forget(this.replica);
  }

  private async beatOnce(): Promise<void> {
    const startedMs = this.clock.nowMs();
    const rows = await this.store.beat(this.replica);
    this.lastBeatMs = startedMs;
    const { take, giveUp } = this.watch.plan(rows, this.isLeaving ? new Set() : this.wanted, startedMs);
    const owned = rows.filter(row => row.owner === this.replica);
    this.reconcile(owned);
    // What is given up is given up to the end, even when it is wanted again: what waited in it was dropped under this epoch, and only a
    // new epoch lets anybody find it.
    const unfinished = owned.filter(({ lane, epoch }) => this.unreleased.get(lane) === epoch);
    for (const held of [...giveUp, ...unfinished]) if (!this.isLeaving) void this.giveUp(held).catch(() => undefined);
    const free = take.filter(({ lane }) => !this.ending.has(lane));
    if (free.length > 0) await this.take(free);
  }

  private async take(free: readonly LaneRow[]): Promise<void> {
    const gained = await this.store.take(this.replica, free);
    for (const { lane, epoch } of gained) this.held.set(lane, epoch);
    if (gained.length > 0) this.listener.gained(gained);
    const former = new Set(free.map(({ owner }) => owner));
    for (const owner of former) if (owner !== null) await this.store.forget(owner);
  }

  /** The database is right: what it no longer gives to this replica at this epoch is lost. */
  private reconcile(owned: readonly HeldLane[]): void {
    const epochs = new Map(owned.map(({ lane, epoch }) => [lane, epoch]));
    const lost = this.lanes.filter(({ lane, epoch }) => epochs.get(lane) !== epoch);
    for (const { lane } of lost) this.held.delete(lane);
    for (const [lane, epoch] of this.unreleased) if (epochs.get(lane) !== epoch) this.unreleased.delete(lane);
    if (lost.length > 0) this.listener.lost(lost);
    // An earlier pass took these and its answer was lost: the database has our epoch, this memory has not.
    const found = owned.filter(({ lane, epoch }) => !this.held.has(lane) && epoch > (this.released.get(lane) ?? 0));
    for (const { lane, epoch } of found) this.held.set(lane, epoch);
    if (found.length > 0) this.listener.gained(found.map(({ lane, epoch }) => ({ lane, epoch })));
  }

  private async giveUp(held: HeldLane): Promise<void> {
    if (this.ending.has(held.lane)) return;
    this.ending.add(held.lane);
    try {
      await this.listener.ending(held);
      this.releasing.add(held.lane);
      this.listener.lost([held]);
      await this.listener.finished(held.lane);
      // Nothing starts in a lane that is being released, so a failed release is safe to repeat; the next beat does.
      await this.store.release(this.replica, [held]);
      this.released.set(held.lane, held.epoch);
      if (this.held.get(held.lane) === held.epoch) this.held.delete(held.lane);
      this.unreleased.delete(held.lane);
    } catch (error) {
      this.unreleased.set(held.lane, held.epoch);
      throw error;
    } finally {
      this.releasing.delete(held.lane);
      this.ending.delete(held.lane);
    }
  }
}
