/** A lane as the database has it. */
export interface LaneRow {
  lane: number;
  /** null: free. */
  owner: string | null;
  epoch: number;
  /** Beat of the owner; null when the owner is not registered (any more). */
  beat: number | null;
}

/** A lane and the fence under which its owner may act. */
export interface HeldLane {
  lane: number;
  epoch: number;
}

export interface LanePlan {
  /** Free lanes and lanes of dead owners, to be taken by compare-and-set. */
  take: LaneRow[];
  /** Owned lanes that another replica should have now. */
  giveUp: HeldLane[];
}

/**
 * Decides which lanes a replica takes. An owner is dead when its beat has not moved for the lease time on *this* process's monotonic clock
 * (P-T6): clocks of different hosts are never compared, so skew cannot make a live owner look dead.
 */
export class LaneWatch {
  private readonly beats = new Map<string, { beat: number | null; sinceMs: number }>();

  constructor(
    private readonly self: string,
    private readonly leaseMs: number,
  ) {}

  /** `nowMs` is monotonic and was read before the rows were. */
  plan(rows: readonly LaneRow[], wanted: ReadonlySet<number>, nowMs: number): LanePlan {
    this.observe(rows, nowMs);
    const take = rows.filter(row => wanted.has(row.lane) && row.owner !== this.self && this.isFree(row, nowMs));
    const giveUp = rows.filter(row => row.owner === this.self && !wanted.has(row.lane));
    return { take, giveUp: giveUp.map(({ lane, epoch }) => ({ lane, epoch })) };
  }

  private isFree(row: LaneRow, nowMs: number): boolean {
    return row.owner === null || nowMs - this.beats.get(row.owner)!.sinceMs >= this.leaseMs;
  }

  private observe(rows: readonly LaneRow[], nowMs: number): void {
    const owners = new Set<string>();
    for (const { owner, beat } of rows) {
      if (owner === null) continue;
      owners.add(owner);
      const seen = this.beats.get(owner);
      if (!seen || seen.beat !== beat) this.beats.set(owner, { beat, sinceMs: nowMs });
    }
    for (const owner of this.beats.keys()) if (!owners.has(owner)) this.beats.delete(owner);
  }
}
