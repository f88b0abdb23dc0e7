import type { ShardOwner } from '@paycode/dto';

const replicasMax = 1_000;

/**
 * For how long the heartbeat of each replica has not moved, as far as this process has seen: a heartbeat only grows, so that two equal ones
 * tell of all the time between them. Clocks of two hosts are never compared (P-T6).
 */
export class HeartbeatMemory {
  private seen = new Map<string, { heartbeat: number; sinceMs: number }>();

  /** `nowMs` is monotonic, and was read before the owners were. */
  stillMs(owners: readonly ShardOwner[], nowMs: number): number[] {
    const seen = owners.slice(0, replicasMax).map(({ replica, heartbeat }) => {
      const before = this.seen.get(replica);
      const sinceMs = before?.heartbeat === heartbeat ? before.sinceMs : nowMs;
      return [replica, { heartbeat, sinceMs }] as const;
    });
    // Drops replicas that are not registered any more.
    this.seen = new Map(seen);
    return owners.map(({ replica }) => nowMs - (this.seen.get(replica)?.sinceMs ?? nowMs));
  }
}
