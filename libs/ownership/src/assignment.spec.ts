import fc from 'fast-check';
import { partitionOf } from '@paycode/events';
import { allShards, evenShare, shardCount, shardOf, shardsOfPartitions } from './assignment';
import type { ShardRow } from './ownership.ports';

const rows = (owners: (string | null)[]): ShardRow[] =>
  owners.map((owner, shard) => ({ shard, owner, epoch: 1, heartbeat: owner === null ? null : 1 }));
const shareOf = (self: string, live: string[], shards: ShardRow[]) => evenShare({ self, live: new Set(live), shards });

/** Lets every replica act on its share in turn until nothing changes. */
function settle(shards: ShardRow[], live: string[]): ShardRow[] {
  for (let round = 0; round < 10; round++) {
    for (const self of live) {
      const wanted = shareOf(self, live, shards);
      for (const row of shards) row.owner = wanted.has(row.shard) ? self : row.owner === self ? null : row.owner;
    }
  }
  return shards;
}

describe('sharing out shards', () => {
  it('ends with every shard owned by a live replica, evenly, wherever it starts', () => {
    const replica = fc.constantFrom('a', 'b', 'c', 'd');
    fc.assert(
      fc.property(
        fc.array(fc.option(replica), { minLength: 256, maxLength: 256 }),
        fc.uniqueArray(replica, { minLength: 1 }),
        (owners, live) => {
          const shards = settle(rows(owners), live);
          const counts = live.map(self => shards.filter(({ owner }) => owner === self).length);
          expect(counts.reduce((sum, count) => sum + count)).toBe(256);
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('wants no more than its share, what it owns first', () => {
    const share = (owners: (string | null)[]) => [...shareOf('a', ['a', 'b'], rows(owners))];
    expect(share([null, null, null, null])).toEqual([0, 1]);
    expect(share([null, null, 'a', null])).toEqual([2, 0]);
    expect(share(['a', null, 'a', null])).toEqual([0, 2]);
    expect(share(['a', 'a', 'a', null])).toEqual([0, 1]);
  });

  it('gives the odd shard to the same replica, in whatever order the replicas were read', () => {
    const size = (self: string, live: string[]) => shareOf(self, live, rows([null, null, null])).size;
    expect([size('a', ['a', 'b']), size('a', ['b', 'a'])]).toEqual([2, 2]);
    expect([size('b', ['a', 'b']), size('b', ['b', 'a'])]).toEqual([1, 1]);
  });

  it('leaves the shards of a live replica alone and wants those of a dead one', () => {
    expect([...shareOf('b', ['a', 'b'], rows(['a', 'dead', 'a', null]))]).toEqual([1, 3]);
  });
});

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
