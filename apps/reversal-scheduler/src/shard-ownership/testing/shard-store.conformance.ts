import type { ShardStore } from '../shard-ownership.ports';

const [me, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

/** Rules of every shard store. */
export function shardStoreConformance(open: () => Promise<ShardStore>): void {
  let store: ShardStore;
  beforeEach(async () => (store = await open()));

  const ownersOf = async (...shards: number[]) => {
    const rows = (await store.beat(me)).shards;
    return shards.map(shard => rows.find(row => row.shard === shard)!.owner);
  };
  const rowsOf = async (...shards: number[]) => (await store.beat(me)).shards.filter(({ shard }) => shards.includes(shard));

  it('a beat announces a replica, then moves on', async () => {
    expect((await store.beat(me)).replicas).toEqual([{ replica: me, beat: 0 }]);
    await store.beat(other);
    const { replicas } = await store.beat(me);
    expect(new Map(replicas.map(({ replica, beat }) => [replica, beat]))).toEqual(new Map([[me, 1], [other, 0]])); // prettier-ignore
  });

  it('of two that claim a shard by what they saw, the first gets it', async () => {
    const seen = await rowsOf(0, 1);
    expect((await store.claim(me, seen)).sort()).toEqual([0, 1]);
    expect(await store.claim(other, seen)).toEqual([]);
    expect(await ownersOf(0, 1)).toEqual([me, me]);
  });

  it('a shard is released by its owner only, and can be claimed again', async () => {
    await store.claim(me, await rowsOf(0, 1));
    await store.release(other, [0]);
    await store.release(me, [1]);
    expect(await ownersOf(0, 1)).toEqual([me, null]);
    expect(await store.claim(other, await rowsOf(1))).toEqual([1]);
  });

  it('a dead replica is forgotten with everything it owned', async () => {
    await store.beat(other);
    await store.claim(other, await rowsOf(0, 1));
    await store.forget([other]);
    expect(await ownersOf(0, 1)).toEqual([null, null]);
    expect((await store.beat(me)).replicas.map(({ replica }) => replica)).toEqual([me]);
  });
}
