import type { OwnershipRows } from './ownership.ports';

/**
 * Judges replicas by whether their heartbeats move. A replica is dead when its heartbeat has not moved for the lease time on *this* process's
 * monotonic clock (P-T6): clocks of different hosts are never compared, so skew cannot make a live owner look dead. Pure.
 */
export class HeartbeatWatch {
  private readonly seen = new Map<string, { heartbeat: number | null; sinceMs: number }>();

  constructor(
    private readonly self: string,
    private readonly leaseMs: number,
  ) {}

  /** Replicas that are dead, registered or not; never this one. `nowMs` is monotonic and was read before the rows were. */
  deadOf({ replicas, shards }: OwnershipRows, nowMs: number): Set<string> {
    const heartbeats = new Map<string, number | null>();
    for (const { owner, heartbeat } of shards) if (owner !== null) heartbeats.set(owner, heartbeat);
    for (const { replica, heartbeat } of replicas) heartbeats.set(replica, heartbeat);
    heartbeats.delete(this.self);
    for (const replica of this.seen.keys()) if (!heartbeats.has(replica)) this.seen.delete(replica);
    const stillMs = ([replica, heartbeat]: [string, number | null]) => this.stoodStillMs(replica, heartbeat, nowMs);
    return new Set([...heartbeats].filter(each => stillMs(each) >= this.leaseMs).map(([replica]) => replica));
  }

  private stoodStillMs(replica: string, heartbeat: number | null, nowMs: number): number {
    const known = this.seen.get(replica);
    if (known && known.heartbeat === heartbeat) return nowMs - known.sinceMs;
    this.seen.set(replica, { heartbeat, sinceMs: nowMs });
    return 0;
  }
}
