import type { HeldLane, LaneListener } from '../lanes';
import type { DeliveryQueue } from '../queueing';
import type { TakeOverDeliveries } from '../takeover';

/** What a change of lanes means here: new ones are recovered, lost ones dropped, given-up ones finished first. */
export class LaneChanges implements LaneListener {
  constructor(
    private readonly queue: DeliveryQueue,
    private readonly takeover: TakeOverDeliveries,
  ) {}

  gained(lanes: readonly HeldLane[]): void {
    this.takeover.gained(lanes);
  }

  /** Rows are left to the next owner from here on; what is claimed already starts first. */
  async ending(lane: HeldLane): Promise<void> {
    this.takeover.lost([lane]);
    this.queue.dropUnclaimed([lane]);
    await this.queue.claimsStarted(lane.lane);
  }

  lost(lanes: readonly HeldLane[]): void {
    this.takeover.lost(lanes);
    this.queue.drop(lanes);
  }

  finished(lane: number): Promise<void> {
    return this.queue.finished(lane);
  }
}
