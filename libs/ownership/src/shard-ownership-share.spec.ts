import { ManualClock, settled } from '@paycode/service-runtime/timing/testing';
import { evenShare } from './assignment';
import { ShardOwnership } from './shard-ownership';
import { MemoryShardStore } from './testing/memory-shard.store';
import { shardStoreConformance } from './testing/shard-store.conformance';

describe('owning an even share of the shards', () => {
  const leaseMs = 5_000;
  let store: MemoryShardStore;
  let clock: ManualClock;
  beforeEach(() => {
    store = new MemoryShardStore(4);
    clock = new ManualClock();
  });
  const replicaOf = (replica: string) => new ShardOwnership(store, clock, { replica, leaseMs, assignment: evenShare });
  const passOf = async (ownership: ShardOwnership, atMs = 0) => {
    await clock.advance(atMs - clock.nowMs());
    await ownership.pass();
    const { shards } = ownership;
    await settled();
    return [...shards];
  };
  const all = [0, 1, 2, 3];

  it('a replica that is alone takes every shard and reports them', async () => {
    const first = replicaOf('a');
    expect([...first.shards]).toEqual([]);
    expect(await passOf(first)).toEqual(all);
    expect(await passOf(first, 1_000)).toEqual(all);
  });

  it('the first replica releases the share of a second at once, and each then owns half', async () => {
    const [first, second] = [replicaOf('a'), replicaOf('b')];
    await passOf(first);
    expect(await passOf(second)).toEqual([]);
    expect(await passOf(first, 1_000)).toEqual([0, 1]);
    expect(await passOf(second, 1_000)).toEqual([2, 3]);
    expect(await passOf(first, 2_000)).toEqual([0, 1]);
  });

  it('a replica whose heartbeat stands still is dead at the lease, not before; its shards are taken and it is forgotten', async () => {
    const [first, second] = [replicaOf('a'), replicaOf('b')];
    for (const atMs of [0, 1_000]) for (const each of [first, second]) await passOf(each, atMs);
    await passOf(first, 2_000);
    expect(await passOf(first, 2_000 + leaseMs - 1)).toEqual([0, 1]);
    expect(await passOf(first, 2_000 + leaseMs)).toEqual(all);
    expect([...store.heartbeats.keys()]).toEqual(['a']);
  });

  it('a dead replica that owns nothing is forgotten too', async () => {
    const [first, idle] = [replicaOf('a'), replicaOf('b')];
    await passOf(first);
    await passOf(idle);
    store.shards.forEach(row => (row.owner = 'a'));
    await passOf(first, 1_000);
    await passOf(first, 1_000 + leaseMs);
    expect([...store.heartbeats.keys()]).toEqual(['a']);
  });

  it('a replica with a heartbeat is never forgotten, however long', async () => {
    const [first, second] = [replicaOf('a'), replicaOf('b')];
    for (const atMs of [0, 4_000, 8_000, 12_000]) for (const each of [first, second]) await passOf(each, atMs);
    expect([[...first.shards], [...second.shards]]).toEqual([[0, 1], [2, 3]]); // prettier-ignore
    expect([...store.heartbeats.keys()]).toEqual(['a', 'b']);
  });

  it('leaving releases all shards at once, by two statements (P-T9)', async () => {
    const first = replicaOf('a');
    await passOf(first);
    const release = jest.spyOn(store, 'release');
    await first.leave();
    expect(release.mock.calls.map(([, held]) => held.length)).toEqual([1, 3]);
    expect([[...first.shards], store.shards.map(({ owner }) => owner)]).toEqual([[], [null, null, null, null]]);
    expect(await passOf(replicaOf('b'))).toEqual(all);
  });

  it('does not own a shard that another replica took between its read and its takeover', async () => {
    const first = replicaOf('a');
    const take = store.take.bind(store);
    store.take = async (replica, seen) => {
      await take('b', seen.slice(0, 1));
      return take(replica, seen);
    };
    expect(await passOf(first)).toEqual([1, 2, 3]);
  });
});

describe('shards in memory', () => {
  shardStoreConformance(async () => new MemoryShardStore(8));
});
