export { AssignedPartitions } from './assigned-partitions';
export type { HeldLane } from './domain/lane-watch';
export * from './lane-of';
export { LaneListener, type LaneOwnership, LaneStore } from './lanes.ports';
export { OwnLanes } from './own-lanes.service';
export { PostgresLaneStore } from './persistence/postgres-lane.store';
