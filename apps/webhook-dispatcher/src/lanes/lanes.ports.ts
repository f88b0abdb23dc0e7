import type { HeldLane, LaneRow } from './domain/lane-watch';

/** The table of lanes and the beats of their owners. */
export abstract class LaneStore {
  /** Moves the replica's beat on, announcing it when new; returns every lane as it is then. */
  abstract beat(replica: string): Promise<LaneRow[]>;
  /** Compare-and-set on epoch and beat as seen; each success raises the epoch. Returns the lanes that became the replica's. */
  abstract take(replica: string, seen: readonly LaneRow[]): Promise<HeldLane[]>;
  /** Frees the lanes that the replica still holds at that epoch. */
  abstract release(replica: string, lanes: readonly HeldLane[]): Promise<void>;
  /** Forgets a replica that holds nothing any more. */
  abstract forget(replica: string): Promise<void>;
}

/** Told about changes of ownership. */
export abstract class LaneListener {
  /** Lanes this replica may act on from now on, under a new epoch. */
  abstract gained(lanes: readonly HeldLane[]): void;
  /**
   * A lane that will be given up. Resolves, within a few seconds, when all that was claimed in it has started: what is claimed and never
   * starts counts as sent.
   */
  abstract ending(lane: HeldLane): Promise<void>;
  /** Lanes that are not this replica's any more: nothing new may start in them. */
  abstract lost(lanes: readonly HeldLane[]): void;
  /** Resolves when nothing of the lane is in flight any more, so that giving it up causes no second POST (P-T9). */
  abstract finished(lane: number): Promise<void>;
}

/** What the rest of the service may know of lane ownership. */
export interface OwnedLanes {
  /** Identity of this process in lane rows. */
  readonly replica: string;
  /** Epoch under which work may start in the lane; undefined when it may not. */
  epochOf(lane: number): number | undefined;
  /** False when this replica may be taken for dead by now: it must start no POST (P-T6). */
  readonly isBeatFresh: boolean;
}
