import { murmur2, toPositive } from '@paycode/events';

/** Lanes of the platform. A multiple of every partition count in use, so that a lane lies in one partition. */
export const laneCount = 256;

/** Lane of a transaction: the hash that also chooses its partition, so `laneOf(id) % partitions` is the partition of its events. */
export function laneOf(transactionId: number): number {
  return toPositive(murmur2(String(transactionId))) % laneCount;
}

/** Lanes whose events arrive in the given partitions. Throws when partitions do not divide the lanes: a lane would lie in several. */
export function lanesOfPartitions(partitions: Iterable<number>, partitionCount: number): Set<number> {
  if (laneCount % partitionCount !== 0) throw new RangeError(`${partitionCount} partitions do not divide ${laneCount} lanes`);
  const assigned = new Set(partitions);
  return new Set(allLanes().filter(lane => assigned.has(lane % partitionCount)));
}

export function allLanes(): number[] {
  return Array.from({ length: laneCount }, (_, lane) => lane);
}
