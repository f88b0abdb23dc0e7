import { ManualClock } from '@paycode/timing/testing';
import { ShardOwnership } from './shard-ownership';
import { MemoryShardStore } from './testing/memory-shard.store';

describe('the heartbeat of a replica at rest (P-T6)', () => {
  let store: MemoryShardStore;
  beforeEach(() => (store = new MemoryShardStore(2)));
  const replicaOf = (replica: string, leaseMs = 10_000) => new ShardOwnership(store, new ManualClock(), { replica, leaseMs });

  it('comes every three seconds while it is alone and is told of others, else every second', async () => {
    const me = replicaOf('a');
    store.isTold = true;
    expect(me.restingPassMs).toBe(1_000);
    await me.pass();
    expect([me.isAlone, me.restingPassMs, me.nextPassMs]).toEqual([true, 3_000, 1_000]);
    store.isTold = false;
    expect(me.restingPassMs).toBe(1_000);
    store.isTold = true;
    await replicaOf('b').pass();
    await me.pass();
    expect([me.isAlone, me.restingPassMs]).toEqual([false, 1_000]);
  });

  it('comes half a second after the pass in which it was told of another one, so that each beats between two beats of the other', async () => {
    const me = replicaOf('a');
    const told = jest.fn();
    me.onNews(told);
    store.isTold = true;
    await me.pass();
    await replicaOf('b').pass();
    store.news();
    expect([told.mock.calls.length, me.nextPassMs]).toEqual([1, 1_000]);
    await me.pass();
    expect(me.nextPassMs).toBe(500);
    await me.pass();
    expect(me.nextPassMs).toBe(1_000);
  });

  it('is never older than half a lease, after which no POST would start', async () => {
    store.isTold = true;
    for (const leaseMs of [1_000, 3_000, 5_000, 10_000]) {
      const me = replicaOf('a', leaseMs);
      await me.pass();
      expect(me.restingPassMs).toBeLessThan(leaseMs / 2);
    }
  });
});
