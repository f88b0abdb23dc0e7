import { ShardOwnership } from './shard-ownership.service';
import { InMemoryShardStore } from './testing/in-memory-shard.store';

const shards = [0, 1, 2, 3];
const leaseMs = 5_000;

describe('owning shards (P-T6)', () => {
  const pair = () => {
    const store = new InMemoryShardStore(shards);
    return { store, first: new ShardOwnership('a', store, leaseMs), second: new ShardOwnership('b', store, leaseMs) };
  };
  const owners = async (store: InMemoryShardStore) => (await store.beat('watcher')).shards.map(({ owner }) => owner);

  it('a replica that is alone takes every shard, and knows it', async () => {
    const { first } = pair();
    expect(first.shards).toEqual(new Set());
    expect(await first.turn(0)).toEqual(new Set(shards));
    expect(first.shards).toEqual(new Set(shards));
    expect(await first.turn(1_000)).toEqual(new Set(shards));
  });

  it('the first gives up what a second is due, and each then owns its half', async () => {
    const { first, second } = pair();
    await first.turn(0);
    expect(await second.turn(0)).toEqual(new Set());
    expect(await first.turn(1_000)).toEqual(new Set([0, 1]));
    expect(await second.turn(1_000)).toEqual(new Set([2, 3]));
    expect(await first.turn(2_000)).toEqual(new Set([0, 1]));
  });

  it('a replica whose beat stands still is dead at the lease, not before; its shards are taken and it is forgotten', async () => {
    const { store, first, second } = pair();
    await first.turn(0);
    await second.turn(0);
    await first.turn(1_000);
    await second.turn(1_000);
    await first.turn(2_000);
    expect(await first.turn(2_000 + leaseMs - 1)).toEqual(new Set([0, 1]));
    expect(await first.turn(2_000 + leaseMs)).toEqual(new Set(shards));
    const { replicas } = await store.beat('a');
    expect(replicas.map(({ replica }) => replica)).toEqual(['a']);
  });

  it('a replica that beats is never forgotten, however long', async () => {
    const { store, first, second } = pair();
    for (const nowMs of [0, 4_000, 8_000, 12_000]) {
      await first.turn(nowMs);
      await second.turn(nowMs);
    }
    expect(first.shards).toEqual(new Set([0, 1]));
    expect(second.shards).toEqual(new Set([2, 3]));
    const { replicas } = await store.beat('a');
    expect(replicas.map(({ replica }) => replica)).toEqual(['a', 'b']);
  });

  it('leaving gives every shard up at once (P-T9)', async () => {
    const { store, first, second } = pair();
    await first.turn(0);
    await first.leave();
    expect(first.shards).toEqual(new Set());
    expect(await owners(store)).toEqual([null, null, null, null]);
    await store.forget(['watcher']);
    expect(await second.turn(0)).toEqual(new Set(shards));
  });

  it('does not own a shard that another took between its look and its claim', async () => {
    const { store, first } = pair();
    const { shards: seen } = await store.beat('b');
    const claim = jest.spyOn(store, 'claim').mockImplementationOnce(async (replica, rows) => {
      claim.mockRestore();
      await store.claim('b', seen.slice(0, 1));
      return store.claim(replica, rows);
    });
    expect(await first.turn(0)).toEqual(new Set([1]));
  });
});
