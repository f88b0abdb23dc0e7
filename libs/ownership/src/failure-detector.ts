import type { OwnershipRows } from './ownership.ports';

/** When a replica counts as dead, in milliseconds. */
export interface DetectionLimits {
  /** L of P-T6: its heartbeat has not moved for this long. */
  leaseMs: number;
  /** The same for one whose lock has fallen (P-T11): a live one sends a heartbeat, or takes its lock again, within this time. */
  graceMs: number;
}

/** Monotonic instants around the reading of rows, in milliseconds: they are no older than `askedMs` and no younger than `readMs`. */
export interface ReadTimes {
  askedMs: number;
  readMs: number;
}

/** Observations of a replica. */
interface Seen {
  heartbeat: number | null;
  sinceMs: number;
  /** Session of this process in which the replica's lock was seen. */
  heldIn?: number;
  /** First read of this session that missed the lock. */
  missedAtMs?: number;
}

/** Two reads that miss a lock are at least so far apart, because its owner may be taking it again. */
const missedTwiceMs = 200;

/**
 * Judges replicas by whether their heartbeats move. A replica is dead when its heartbeat has not moved for the lease time on *this* process's
 * monotonic clock (P-T6): clocks of different hosts are never compared, so skew cannot make a live owner look dead. It needs to stand still for the
 * grace only, if its lock fell while the lock of this process stood (P-T11): then neither the server nor this process's way to it has
 * failed. Pure.
 */
export class FailureDetector {
  private readonly seen = new Map<string, Seen>();
  private missing = 0;

  constructor(
    private readonly self: string,
    private readonly limits: DetectionLimits,
  ) {}

  /** Whether the last rows lacked a lock that had stood, so that a judgement is near. */
  get isLockMissing(): boolean {
    return this.missing > 0;
  }

  /**
   * Replicas that are dead, registered or not; never this one. New observations count from `readMs`, old ones up to `askedMs`: this process
   * may have been paused between the two.
   */
  deadOf(rows: OwnershipRows, { askedMs, readMs }: ReadTimes): Set<string> {
    const heartbeats = new Map<string, number | null>();
    for (const { owner, heartbeat } of rows.shards) if (owner !== null) heartbeats.set(owner, heartbeat);
    for (const { replica, heartbeat } of rows.replicas) heartbeats.set(replica, heartbeat);
    heartbeats.delete(this.self);
    for (const replica of this.seen.keys()) if (!heartbeats.has(replica)) this.seen.delete(replica);
    for (const [replica, heartbeat] of heartbeats) this.see(replica, heartbeat, readMs);
    this.seeLocks(rows, readMs);
    return new Set([...this.seen].filter(([, seen]) => this.isDead(seen, askedMs)).map(([replica]) => replica));
  }

  private see(replica: string, heartbeat: number | null, nowMs: number): void {
    const known = this.seen.get(replica);
    if (known?.heartbeat !== heartbeat) this.seen.set(replica, { ...known, heartbeat, sinceMs: nowMs });
  }

  private seeLocks({ replicas, session }: OwnershipRows, nowMs: number): void {
    this.missing = 0;
    for (const { replica, isHeld } of replicas) {
      const seen = this.seen.get(replica);
      if (!seen) continue;
      const { heldIn, missedAtMs, ...heartbeat } = seen;
      if (session !== undefined && isHeld) this.seen.set(replica, { ...heartbeat, heldIn: session });
      else if (session === undefined || heldIn !== session) this.seen.set(replica, heartbeat);
      else {
        this.missing++;
        seen.missedAtMs = missedAtMs ?? nowMs;
      }
    }
  }

  private isDead({ sinceMs, missedAtMs }: Seen, nowMs: number): boolean {
    const { leaseMs, graceMs } = this.limits;
    const stoodStillMs = nowMs - sinceMs;
    if (stoodStillMs >= leaseMs) return true;
    return missedAtMs !== undefined && nowMs - missedAtMs >= missedTwiceMs && stoodStillMs >= graceMs;
  }
}
