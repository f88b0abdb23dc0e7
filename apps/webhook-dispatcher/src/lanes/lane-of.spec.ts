import { partitionOf } from '@paycode/events';
import fc from 'fast-check';
import { allLanes, laneCount, laneOf, lanesOfPartitions } from './lane-of';

describe('lanes', () => {
  it('the lane of a transaction lies in the partition of its events', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.constantFrom(1, 2, 4, 64, 256), (id, partitions) => {
        expect(lanesOfPartitions([partitionOf(String(id), partitions)], partitions).has(laneOf(id))).toBe(true);
      }),
    );
  });

  it('every lane belongs to exactly one partition', () => {
    const lanes = Array.from({ length: 64 }, (_, partition) => [...lanesOfPartitions([partition], 64)]).flat();
    expect(lanes.sort((a, b) => a - b)).toEqual(allLanes());
    expect(lanes).toHaveLength(laneCount);
  });

  it('refuses a partition count that would tear a lane apart', () => {
    expect(() => lanesOfPartitions([0], 48)).toThrow('48 partitions do not divide 256 lanes');
  });
});
