import type { HeldLane, LaneRow } from '../domain/lane-watch';
import { LaneStore } from '../lanes.ports';

/** Lanes in memory, with the compare-and-set of the real store. */
export class MemoryLaneStore extends LaneStore {
  readonly beats = new Map<string, number>();
  readonly lanes: { lane: number; owner: string | null; epoch: number }[];
  /** Runs before every call; throw to make it fail. */
  beforeCall: () => void | Promise<void> = () => undefined;

  constructor(count: number) {
    super();
    this.lanes = Array.from({ length: count }, (_, lane) => ({ lane, owner: null, epoch: 0 }));
  }

  override async beat(replica: string): Promise<LaneRow[]> {
    await this.beforeCall();
    this.beats.set(replica, (this.beats.get(replica) ?? 0) + 1);
    return this.lanes.map(lane => ({ ...lane, beat: this.beatOf(lane.owner) }));
  }

  override async take(replica: string, seen: readonly LaneRow[]): Promise<HeldLane[]> {
    await this.beforeCall();
    const free = seen.filter(row => this.lanes[row.lane]!.epoch === row.epoch && this.beatOf(row.owner) === row.beat);
    return free.map(({ lane }) => {
      const row = this.lanes[lane]!;
      row.owner = replica;
      return { lane, epoch: ++row.epoch };
    });
  }

  override async release(replica: string, lanes: readonly HeldLane[]): Promise<void> {
    await this.beforeCall();
    for (const { lane, epoch } of lanes) {
      const row = this.lanes[lane]!;
      if (row.owner === replica && row.epoch === epoch) row.owner = null;
    }
  }

  override async forget(replica: string): Promise<void> {
    await this.beforeCall();
    if (!this.lanes.some(lane => lane.owner === replica)) this.beats.delete(replica);
  }

  private beatOf(owner: string | null): number | null {
    return owner === null ? null : (this.beats.get(owner) ?? null);
  }
}
