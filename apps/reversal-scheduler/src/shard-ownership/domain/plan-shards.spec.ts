import fc from 'fast-check';
import { BeatObserver } from './beat-observer';
import { planShards, type ShardRow } from './plan-shards';

const rows = (owners: (string | null)[]): ShardRow[] => owners.map((owner, shard) => ({ shard, owner, epoch: 1 }));

/** Lets every replica act on its plan in turn until nothing changes. */
function settle(shards: ShardRow[], live: string[]): ShardRow[] {
  for (let round = 0; round < 10; round++) {
    for (const me of live) {
      const plan = planShards(me, new Set(live), shards);
      for (const { shard } of plan.claim) shards[shard] = { shard, owner: me, epoch: 2 };
      for (const { shard } of plan.release) shards[shard] = { shard, owner: null, epoch: 2 };
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
          const counts = live.map(me => settle(rows(owners), live).filter(shard => shard.owner === me).length);
          expect(counts.reduce((sum, count) => sum + count)).toBe(256);
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('takes no more than its share, what it owns already included', () => {
    const claimed = (owners: (string | null)[]) => planShards('a', new Set(['a', 'b']), rows(owners)).claim.length;
    expect(claimed([null, null, null, null])).toBe(2);
    expect(claimed(['a', null, null, null])).toBe(1);
    expect(claimed(['a', 'a', null, null])).toBe(0);
  });

  it('gives the odd shard to the same replica, in whatever order the replicas were read', () => {
    const free = rows([null, null, null]);
    const claimed = (me: string, live: string[]) => planShards(me, new Set(live), free).claim.length;
    expect([claimed('a', ['a', 'b']), claimed('a', ['b', 'a'])]).toEqual([2, 2]);
    expect([claimed('b', ['a', 'b']), claimed('b', ['b', 'a'])]).toEqual([1, 1]);
  });

  it('leaves the shards of a live replica alone and takes those of a dead one', () => {
    const plan = planShards('b', new Set(['a', 'b']), rows(['a', 'dead', 'a', null]));
    expect(plan.claim.map(({ shard }) => shard)).toEqual([1, 3]);
  });
});

describe('beat observer', () => {
  it('counts only on its own clock how long a beat stood still (P-T6)', () => {
    const observer = new BeatObserver();
    expect(observer.observe('a', 7, 1_000)).toBe(0);
    expect(observer.observe('a', 7, 4_000)).toBe(3_000);
    expect(observer.observe('a', 8, 5_000)).toBe(0);
    observer.keep(new Set());
    expect(observer.observe('a', 8, 9_000)).toBe(0);
  });
});
