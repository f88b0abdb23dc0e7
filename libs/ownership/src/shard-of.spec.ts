import { partitionOf } from '@paycode/events';
import fc from 'fast-check';
import { allShards, shardCount, shardOf, shardsOfPartitions } from './shard-of';

describe('shards', () => {
  it('the shard of a transaction lies in the partition of its events', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.constantFrom(1, 2, 4, 64, 256), (id, partitions) => {
        expect(shardsOfPartitions([partitionOf(String(id), partitions)], partitions).has(shardOf(id))).toBe(true);
      }),
    );
  });

  it('every shard belongs to exactly one partition', () => {
    const shards = Array.from({ length: 64 }, (_, partition) => [...shardsOfPartitions([partition], 64)]).flat();
    expect(shards.sort((a, b) => a - b)).toEqual(allShards());
    expect(shards).toHaveLength(shardCount);
  });

  it('refuses a partition count that would tear a shard apart', () => {
    expect(() => shardsOfPartitions([0], 48)).toThrow('48 partitions do not divide 256 shards');
  });
});
