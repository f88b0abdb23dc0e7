import type { HeldLane, LaneRow } from '../../lanes/domain/lane-watch';
import { LaneStore } from '../../lanes/lanes.ports';
import type { DispatcherTables } from './dispatcher-tables';
import type { StatementExecutor } from './statement-executor';

/** Lanes, statement by statement as `PostgresLaneStore` has them. */
export class MemoryLaneStore extends LaneStore {
  constructor(
    private readonly tables: DispatcherTables,
    private readonly execute: StatementExecutor,
  ) {
    super();
  }

  override async beat(replica: string): Promise<LaneRow[]> {
    const { tables } = this;
    await this.execute(() => {
      tables.beats.set(replica, (tables.beats.get(replica) ?? 0) + 1);
      tables.beatenAtMs.set(replica, tables.nowMs());
    });
    return this.execute(() =>
      [...tables.lanes.values()].map(({ lane, owner, epoch }) => ({ lane, owner, epoch, beat: this.beatOf(owner) })),
    );
  }

  override take(replica: string, seen: readonly LaneRow[]): Promise<HeldLane[]> {
    return this.execute(() =>
      seen.flatMap(({ lane, epoch, beat }) => {
        const row = this.tables.lanes.get(lane);
        if (!row || row.epoch !== epoch || this.beatOf(row.owner) !== beat) return [];
        this.tables.raiseEpoch(row, replica);
        return [{ lane, epoch: row.epoch }];
      }),
    );
  }

  override release(replica: string, lanes: readonly HeldLane[]): Promise<void> {
    return this.execute(() => {
      for (const held of lanes) if (this.tables.holds(replica, held)) this.tables.lanes.get(held.lane)!.owner = null;
    });
  }

  override forget(replica: string): Promise<void> {
    return this.execute(() => {
      const isOwner = [...this.tables.lanes.values()].some(({ owner }) => owner === replica);
      if (!isOwner) this.tables.beats.delete(replica);
    });
  }

  private beatOf(owner: string | null): number | null {
    return owner === null ? null : (this.tables.beats.get(owner) ?? null);
  }
}
