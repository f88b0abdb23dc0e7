import { ManualClock, settled } from '@paycode/service-runtime/timing/testing';
import { type HeldShard, ShardListener } from './ownership.ports';
import { ShardOwnership } from './shard-ownership';
import { MemoryShardStore } from './testing/memory-shard.store';

class Listener extends ShardListener {
  readonly told: string[] = [];
  /** Resolves when what was claimed has started. */
  promises = Promise.resolve();
  private readonly busy = new Map<number, Promise<void>>();

  override gained(shards: readonly HeldShard[]): void {
    this.told.push(...shards.map(({ shard, epoch }) => `gained ${shard}@${epoch}`));
  }
  override ending(): Promise<void> {
    return this.promises;
  }
  override lost(shards: readonly HeldShard[]): void {
    this.told.push(...shards.map(({ shard, epoch }) => `lost ${shard}@${epoch}`));
  }
  override finished(shard: number): Promise<void> {
    return this.busy.get(shard) ?? Promise.resolve();
  }
  /** Keeps a shard busy until the returned function is called. */
  occupy(shard: number): () => void {
    let finish!: () => void;
    this.busy.set(shard, new Promise(resolve => (finish = resolve)));
    return finish;
  }
}

function setUp(replica: string, store: MemoryShardStore, clock: ManualClock) {
  const listener = new Listener();
  const ownership = new ShardOwnership(store, clock, { replica, leaseMs: 10_000 });
  ownership.onChange(listener);
  ownership.want(new Set([0, 1]));
  return { listener, ownership };
}

describe('owning shards', () => {
  let store: MemoryShardStore;
  let clock: ManualClock;
  beforeEach(() => {
    store = new MemoryShardStore(2);
    clock = new ManualClock();
  });
  const wanting = (ownership: ShardOwnership, shards: number[]) => {
    ownership.want(new Set(shards));
    return ownership.pass();
  };
  /** Holds both shards. */
  const owner = async () => {
    const made = setUp('a', store, clock);
    await made.ownership.pass();
    return made;
  };

  it('takes free shards with the first pass', async () => {
    const { ownership, listener } = await owner();
    expect(listener.told).toEqual(['gained 0@1', 'gained 1@1']);
    expect(ownership.epochOf(1)).toBe(1);
  });

  it('reports and writes nothing in a pass that changes nothing', async () => {
    const { ownership, listener } = setUp('a', store, clock);
    const forget = jest.spyOn(store, 'forget');
    await ownership.pass();
    const calls = [jest.spyOn(listener, 'gained'), jest.spyOn(listener, 'lost'), jest.spyOn(store, 'take'), forget];
    await ownership.pass();
    for (const call of calls) expect(call).not.toHaveBeenCalled();
    expect(ownership.leaseMs).toBe(10_000);
  });

  it('reports no gain when others took all free shards', async () => {
    const { ownership, listener } = setUp('a', store, clock);
    const gained = jest.spyOn(listener, 'gained');
    store.take = () => Promise.resolve([]);
    await ownership.pass();
    expect(gained).not.toHaveBeenCalled();
  });

  it('takes the shards of a dead replica within the lease and one pass (P-T6)', async () => {
    await owner();
    const { ownership, listener } = setUp('b', store, clock);
    for (let second = 0; second < 10; second++) {
      await ownership.pass();
      await clock.advance(1_000);
    }
    expect(listener.told).toEqual([]);
    await ownership.pass();
    expect(listener.told).toEqual(['gained 0@2', 'gained 1@2']);
    expect(store.heartbeats.has('a')).toBe(false);
  });

  it('a replica at the instance of a dead one takes its shards with the first pass, without a lease (P-T10)', async () => {
    const at = (replica: string, instance: string) => {
      const ownership = new ShardOwnership(store, clock, { replica, instance, leaseMs: 10_000 });
      ownership.want(new Set([0, 1]));
      return ownership;
    };
    await at('a', 'pod 1').pass();
    const elsewhere = at('b', 'pod 2');
    await elsewhere.pass();
    expect(elsewhere.held).toEqual([]);
    const next = at('c', 'pod 1');
    store.beforeCall = () => Promise.reject(new Error('database down'));
    await expect(next.pass()).rejects.toThrow('database down');
    store.beforeCall = () => Promise.resolve();
    await next.pass();
    expect(next.held).toEqual([{ shard: 0, epoch: 2 }, { shard: 1, epoch: 2 }]); // prettier-ignore
    const succeed = jest.spyOn(store, 'succeed');
    await next.pass();
    expect(succeed).not.toHaveBeenCalled();
  });

  it('a paused replica learns with its next heartbeat that its shards are gone (P-1.2-8)', async () => {
    const paused = await owner();
    const other = setUp('b', store, clock);
    await other.ownership.pass();
    await clock.advance(10_000);
    await other.ownership.pass();
    expect(paused.ownership.epochOf(0)).toBe(1);
    await paused.ownership.pass();
    expect(paused.ownership.epochOf(0)).toBeUndefined();
    expect(paused.listener.told.slice(2)).toEqual(['lost 0@1', 'lost 1@1']);
  });

  it('the heartbeat is fresh for half the lease after the start of the last one that succeeded (P-T6)', async () => {
    const { ownership } = setUp('a', store, clock);
    expect(ownership.isHeartbeatFresh).toBe(false);
    await ownership.pass();
    await clock.advance(4_999);
    expect(ownership.isHeartbeatFresh).toBe(true);
    store.beforeCall = () => Promise.reject(new Error('database down'));
    await expect(ownership.pass()).rejects.toThrow('database down');
    await clock.advance(1);
    expect(ownership.isHeartbeatFresh).toBe(false);
  });

  it('a replica that knows that its session ended has no fresh heartbeat until the next one (P-T11)', async () => {
    const { ownership } = await owner();
    store.sessionsEnded = 1;
    expect(ownership.isHeartbeatFresh).toBe(false);
    store.beforeCall = async () => void (store.sessionsEnded = 2);
    await ownership.pass();
    expect(ownership.isHeartbeatFresh).toBe(false);
    store.beforeCall = () => Promise.resolve();
    await ownership.pass();
    expect(ownership.isHeartbeatFresh).toBe(true);
  });

  it('takes the shards of a replica whose lock fell within a few heartbeats, and passes more often until then (P-T11)', async () => {
    const dead = setUp('a', store, clock);
    store.locks.set('a', true);
    await dead.ownership.pass();
    const { ownership, listener } = setUp('b', store, clock);
    store.session = 1;
    await ownership.pass();
    await dead.ownership.pass();
    await ownership.pass();
    store.locks.set('a', false);
    await clock.advance(ownership.nextPassMs);
    await ownership.pass();
    expect([ownership.heartbeatMs, ownership.nextPassMs, listener.told]).toEqual([1_000, 200, []]);
    for (let pass = 0; pass < 3; pass++) {
      await clock.advance(ownership.nextPassMs);
      await ownership.pass();
    }
    expect(listener.told).toEqual(['gained 0@2', 'gained 1@2']);
  });

  it('a heartbeat every second, and under a short lease so often that it stays fresh between two passes (P-T6)', () => {
    const heartbeatMs = (leaseMs: number) => new ShardOwnership(store, clock, { replica: 'a', leaseMs }).heartbeatMs;
    expect(heartbeatMs(10_000)).toBe(1_000);
    for (const leaseMs of [1_000, 1_500, 2_000, 5_000]) expect(heartbeatMs(leaseMs)).toBeLessThan(leaseMs / 4);
  });

  it('counts a slow heartbeat from its start, because others may have seen the old one until its end', async () => {
    const { ownership } = setUp('a', store, clock);
    store.beforeCall = () => {
      store.beforeCall = () => Promise.resolve();
      return clock.advance(5_000);
    };
    await ownership.pass();
    expect(ownership.isHeartbeatFresh).toBe(false);
  });

  it('finds a shard that it took although the answer was lost', async () => {
    const { ownership, listener } = setUp('a', store, clock);
    const take = store.take.bind(store);
    store.take = async (replica, seen) => {
      await take(replica, seen);
      throw new Error('answer lost');
    };
    await expect(ownership.pass()).rejects.toThrow('answer lost');
    await ownership.pass();
    expect(listener.told).toEqual(['gained 0@1', 'gained 1@1']);
  });

  it('gives a shard up only when nothing of it is in flight, and starts nothing in it meanwhile (P-T9)', async () => {
    const { ownership, listener } = await owner();
    const finish = listener.occupy(0);
    await wanting(ownership, [1]);
    expect(ownership.epochOf(0)).toBeUndefined();
    expect(store.shards[0]!.owner).toBe('a');
    finish();
    await settled();
    expect(store.shards[0]!.owner).toBeNull();
    expect(ownership.epochOf(1)).toBe(1);
  });

  it('lets claimed deliveries of a shard start before it stops starting (P-T9)', async () => {
    const { ownership, listener } = await owner();
    let keep!: () => void;
    listener.promises = new Promise(resolve => (keep = resolve));
    await wanting(ownership, [1]);
    await ownership.pass();
    expect([ownership.epochOf(0), store.shards[0]!.owner]).toEqual([1, 'a']);
    keep();
    await settled();
    expect([ownership.epochOf(0), store.shards[0]!.owner]).toEqual([undefined, null]);
    expect(listener.told.filter(each => each.startsWith('lost'))).toEqual(['lost 0@1']);
  });

  it('does not mistake a shard it just released for one it holds', async () => {
    const { ownership, listener } = await owner();
    const rows = await store.heartbeat('a');
    const finish = listener.occupy(0);
    await wanting(ownership, [1]);
    finish();
    await settled();
    store.heartbeat = async () => rows;
    await ownership.pass();
    expect(ownership.epochOf(0)).toBeUndefined();
    expect(listener.told.filter(each => each.startsWith('gained'))).toEqual(['gained 0@1', 'gained 1@1']);
  });

  it('regression: a shard being given up is not taken again before that has ended, though it is free and wanted by then', async () => {
    const { ownership, listener } = await owner();
    const release = store.release.bind(store);
    let answer!: () => void;
    store.release = async (replica, held) => {
      await release(replica, held);
      await new Promise<void>(resolve => (answer = resolve));
    };
    await wanting(ownership, [1]);
    await wanting(ownership, [0, 1]);
    expect([store.shards[0]!.owner, ownership.epochOf(0)]).toEqual([null, undefined]);
    answer();
    await settled();
    await ownership.pass();
    expect(listener.told.at(-1)).toBe('gained 0@2');
    expect(ownership.epochOf(0)).toBe(2);
  });

  it('regression: a shard whose release failed is released again, and comes back only under a new epoch', async () => {
    const { ownership, listener } = await owner();
    const release = store.release.bind(store);
    store.release = () => Promise.reject(new Error('database down'));
    await wanting(ownership, [1]);
    await settled();
    await wanting(ownership, [0, 1]);
    await settled();
    expect([store.shards[0]!.owner, ownership.epochOf(0), [...ownership.shards]]).toEqual(['a', undefined, [1]]);
    store.release = release;
    await ownership.pass();
    await settled();
    await ownership.pass();
    expect(listener.told.at(-1)).toBe('gained 0@2');
    expect(ownership.epochOf(0)).toBe(2);
  });

  it('a shard whose release failed and that others took meanwhile may come back and is worked on again (P-I7)', async () => {
    const { ownership } = await owner();
    const release = store.release.bind(store);
    store.release = () => Promise.reject(new Error('database down'));
    await wanting(ownership, [1]);
    await settled();
    store.release = release;
    Object.assign(store.shards[0]!, { owner: 'b', epoch: 2 });
    await ownership.pass();
    Object.assign(store.shards[0]!, { owner: null });
    await wanting(ownership, [0, 1]);
    expect(ownership.epochOf(0)).toBe(3);
    expect([...ownership.shards].sort()).toEqual([0, 1]);
  });

  it('leaving reports each shard once, although rows read before still show it (P-T9)', async () => {
    const { ownership, listener } = await owner();
    const rows = await store.heartbeat('a');
    store.heartbeat = () => Promise.resolve(rows);
    await ownership.leave();
    await settled();
    expect(listener.told.filter(each => each.startsWith('lost')).sort()).toEqual(['lost 0@1', 'lost 1@1']);
  });

  it('leaving hands over shard by shard and forgets the replica (P-T9)', async () => {
    const { ownership, listener } = await owner();
    const finish = listener.occupy(0);
    const leaving = ownership.leave();
    await settled();
    expect(store.shards.map(shard => shard.owner)).toEqual(['a', null]);
    finish();
    await leaving;
    expect(store.shards.map(shard => shard.owner)).toEqual([null, null]);
    expect(store.heartbeats.size).toBe(0);
  });

  it('regression: leaving waits for a shard that is already being given up, before it forgets the replica (P-T9)', async () => {
    const { ownership, listener } = await owner();
    const finish = listener.occupy(0);
    await wanting(ownership, [1]);
    const leaving = ownership.leave();
    await settled();
    expect([store.shards.map(shard => shard.owner), store.heartbeats.has('a')]).toEqual([['a', null], true]);
    finish();
    await leaving;
    expect([store.shards.map(shard => shard.owner), store.heartbeats.size]).toEqual([[null, null], 0]);
  });

  it('regression: leaving also gives up a shard that a pass takes meanwhile (P-T9)', async () => {
    const { ownership } = setUp('a', store, clock);
    const take = store.take.bind(store);
    let answer!: () => void;
    store.take = async (replica, rows) => {
      await new Promise<void>(resolve => (answer = resolve));
      return take(replica, rows);
    };
    const passing = ownership.pass();
    await settled();
    const leaving = ownership.leave();
    answer();
    await Promise.all([passing, leaving]);
    expect(store.shards.map(shard => shard.owner)).toEqual([null, null]);
  });
});
