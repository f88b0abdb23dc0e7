import type { HeldLane, LaneListener } from '../lanes';
import type { DeliveryDesk } from '../queueing';
import type { RecoverDeliveries } from '../takeover';

/** What a change of lanes means here: new ones are recovered, lost ones dropped, given-up ones finished first. */
export class LaneChanges implements LaneListener {
  constructor(
    private readonly desk: DeliveryDesk,
    private readonly recover: RecoverDeliveries,
  ) {}

  gained(lanes: readonly HeldLane[]): void {
    this.recover.gained(lanes);
  }

  /** Rows are left to the next owner from here on; what is claimed already starts first. */
  async ending(lane: HeldLane): Promise<void> {
    this.recover.lost([lane]);
    this.desk.dropUnclaimed([lane]);
    await this.desk.claimsStarted(lane.lane);
  }

  lost(lanes: readonly HeldLane[]): void {
    this.recover.lost(lanes);
    this.desk.drop(lanes);
  }

  finished(lane: number): Promise<void> {
    return this.desk.finished(lane);
  }
}
