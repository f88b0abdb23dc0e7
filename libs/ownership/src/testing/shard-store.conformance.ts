import type { ShardStore } from '../ownership.ports';

const [me, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];

/** Rules of every shard store. `open` answers a fresh one with at least four free shards, nobody registered. */
export function shardStoreConformance(open: () => Promise<ShardStore>): void {
  let store: ShardStore;
  beforeEach(async () => (store = await open()));

  const rowsOf = async (replica: string, ...shards: number[]) => {
    const rows = (await store.heartbeat(replica)).shards;
    return shards.map(shard => rows.find(row => row.shard === shard)!);
  };
  const ownersOf = async (...shards: number[]) => (await rowsOf(me, ...shards)).map(({ owner }) => owner);
  const replicas = async () => new Map((await store.heartbeat(me)).replicas.map(row => [row.replica, row.heartbeat]));

  it('starts with free shards at epoch 0', async () => {
    const { shards } = await store.heartbeat(me);
    expect(shards.length).toBeGreaterThanOrEqual(4);
    for (const row of shards) expect(row).toMatchObject({ owner: null, epoch: 0, heartbeat: null });
  });

  it('a heartbeat announces a replica, then moves on, seen by everyone (P-T6)', async () => {
    await store.heartbeat(other);
    const before = (await replicas()).get(other)!;
    await store.heartbeat(other);
    expect((await replicas()).get(other)).toBe(before + 1);
    await store.take(other, await rowsOf(other, 0));
    const [seen] = await rowsOf(me, 0);
    expect(seen).toEqual({ shard: 0, owner: other, epoch: 1, heartbeat: before + 2 });
  });

  it('of two replicas that take the same shard, the first gets it, under a higher epoch', async () => {
    const seen = await rowsOf(me, 0, 1);
    expect((await store.take(me, seen)).sort((a, b) => a.shard - b.shard)).toEqual([{ shard: 0, epoch: 1 }, { shard: 1, epoch: 1 }]); // prettier-ignore
    expect(await store.take(other, seen)).toEqual([]);
    expect(await ownersOf(0, 1)).toEqual([me, me]);
  });

  it('refuses a takeover whose owner has sent a heartbeat since it was seen (P-T6)', async () => {
    await store.take(me, await rowsOf(me, 3));
    const seen = await rowsOf(other, 3);
    await store.heartbeat(me);
    expect(await store.take(other, seen)).toEqual([]);
    expect(await store.take(other, await rowsOf(other, 3))).toEqual([{ shard: 3, epoch: 2 }]);
  });

  it('releases only what is still held at that epoch, and it can be taken again', async () => {
    const [held] = await store.take(me, await rowsOf(me, 2));
    await store.release(me, [{ shard: 2, epoch: held!.epoch + 1 }]);
    await store.release(other, [held!]);
    expect(await ownersOf(2)).toEqual([me]);
    await store.release(me, [held!]);
    expect(await ownersOf(2)).toEqual([null]);
    expect(await store.take(other, await rowsOf(other, 2))).toEqual([{ shard: 2, epoch: 2 }]);
  });

  it('a replica succeeds those of its instance at once: their shards are free, what others hold is not (P-T10)', async () => {
    const third = '00000000-0000-4000-8000-000000000003';
    await store.succeed(other, 'a');
    await store.succeed(third, 'b');
    await store.heartbeat(other);
    await store.take(other, await rowsOf(other, 0, 1));
    await store.take(third, await rowsOf(third, 2));
    await store.succeed(me, 'a');
    expect(await ownersOf(0, 1, 2)).toEqual([null, null, third]);
    expect([...(await replicas()).keys()].sort()).toEqual([me, third]);
    expect(await store.take(me, await rowsOf(me, 0))).toEqual([{ shard: 0, epoch: 2 }]);
  });

  it('a replica that succeeds twice, because an answer was lost, keeps what it holds (P-T10)', async () => {
    await store.succeed(me, 'a');
    await store.take(me, await rowsOf(me, 0));
    await store.succeed(me, 'a');
    expect(await ownersOf(0)).toEqual([me]);
  });

  it('a replica without an instance succeeds nobody, and nobody it', async () => {
    await store.heartbeat(other);
    await store.take(other, await rowsOf(other, 3));
    await store.succeed(me, 'a');
    expect(await ownersOf(3)).toEqual([other]);
  });

  it('forgets a replica only once it holds no shard', async () => {
    await store.heartbeat(other);
    const held = await store.take(other, await rowsOf(other, 1));
    await store.forget([other]);
    expect((await replicas()).has(other)).toBe(true);
    await store.release(other, held);
    await store.forget([other]);
    expect((await replicas()).has(other)).toBe(false);
  });
}
