export { AssignedPartitions } from './assigned-partitions';
export type { HeldLane } from './domain/lane-watch';
export * from './lane-of';
export { LaneListener, type OwnedLanes, LaneStore } from './lanes.ports';
export { LaneOwnership } from './lane-ownership.service';
export { PostgresLaneStore } from './persistence/postgres-lane.store';
