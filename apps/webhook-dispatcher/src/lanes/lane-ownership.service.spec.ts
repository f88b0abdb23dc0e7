import { ManualClock, settled } from '@paycode/timing/testing';
import type { HeldLane } from './domain/lane-watch';
import { LaneListener } from './lanes.ports';
import { LaneOwnership } from './lane-ownership.service';
import { MemoryLaneStore } from './testing/memory-lane.store';

class Listener extends LaneListener {
  readonly told: string[] = [];
  /** Resolves when what was claimed has started. */
  promises = Promise.resolve();
  private readonly busy = new Map<number, Promise<void>>();

  override gained(lanes: readonly HeldLane[]): void {
    this.told.push(...lanes.map(({ lane, epoch }) => `gained ${lane}@${epoch}`));
  }
  override ending(): Promise<void> {
    return this.promises;
  }
  override lost(lanes: readonly HeldLane[]): void {
    this.told.push(...lanes.map(({ lane, epoch }) => `lost ${lane}@${epoch}`));
  }
  override finished(lane: number): Promise<void> {
    return this.busy.get(lane) ?? Promise.resolve();
  }
  /** Keeps a lane busy until the returned function is called. */
  occupy(lane: number): () => void {
    let finish!: () => void;
    this.busy.set(lane, new Promise(resolve => (finish = resolve)));
    return finish;
  }
}

function setUp(replica: string, store: MemoryLaneStore, clock: ManualClock) {
  const listener = new Listener();
  const lanes = new LaneOwnership(store, clock, { replica, leaseMs: 10_000 });
  lanes.onChange(listener);
  lanes.want(new Set([0, 1]));
  return { listener, lanes };
}

describe('owning lanes', () => {
  let store: MemoryLaneStore;
  let clock: ManualClock;
  beforeEach(() => {
    store = new MemoryLaneStore(2);
    clock = new ManualClock();
  });

  it('takes free lanes with the first pass', async () => {
    const { lanes, listener } = setUp('a', store, clock);
    await lanes.pass();
    expect(listener.told).toEqual(['gained 0@1', 'gained 1@1']);
    expect(lanes.epochOf(1)).toBe(1);
  });

  it('takes the lanes of a dead replica within the lease and one pass (P-T6)', async () => {
    const dead = setUp('a', store, clock);
    await dead.lanes.pass();
    const { lanes, listener } = setUp('b', store, clock);
    for (let second = 0; second < 10; second++) {
      await lanes.pass();
      await clock.advance(1_000);
    }
    expect(listener.told).toEqual([]);
    await lanes.pass();
    expect(listener.told).toEqual(['gained 0@2', 'gained 1@2']);
    expect(store.beats.has('a')).toBe(false);
  });

  it('a paused replica learns with its next beat that its lanes are gone (P-1.2-8)', async () => {
    const paused = setUp('a', store, clock);
    await paused.lanes.pass();
    const other = setUp('b', store, clock);
    await other.lanes.pass();
    await clock.advance(10_000);
    await other.lanes.pass();
    expect(paused.lanes.epochOf(0)).toBe(1);
    await paused.lanes.pass();
    expect(paused.lanes.epochOf(0)).toBeUndefined();
    expect(paused.listener.told.slice(2)).toEqual(['lost 0@1', 'lost 1@1']);
  });

  it('the beat is fresh for half the lease after the start of the last beat that succeeded (P-T6)', async () => {
    const { lanes } = setUp('a', store, clock);
    expect(lanes.isBeatFresh).toBe(false);
    await lanes.pass();
    await clock.advance(4_999);
    expect(lanes.isBeatFresh).toBe(true);
    store.beforeCall = () => Promise.reject(new Error('database down'));
    await expect(lanes.pass()).rejects.toThrow('database down');
    await clock.advance(1);
    expect(lanes.isBeatFresh).toBe(false);
  });

  it('beats every second, and under a short lease so often that the beat stays fresh between two passes (P-T6)', () => {
    const beatMs = (leaseMs: number) => new LaneOwnership(store, clock, { replica: 'a', leaseMs }).beatMs;
    expect(beatMs(10_000)).toBe(1_000);
    for (const leaseMs of [1_000, 1_500, 2_000, 5_000]) expect(beatMs(leaseMs)).toBeLessThan(leaseMs / 4);
  });

  it('counts a slow beat from its start, because others may have seen the old one until its end', async () => {
    const { lanes } = setUp('a', store, clock);
    store.beforeCall = () => clock.advance(5_000);
    await lanes.pass();
    expect(lanes.isBeatFresh).toBe(false);
  });

  it('finds a lane whose take succeeded although its answer was lost', async () => {
    const { lanes, listener } = setUp('a', store, clock);
    const take = store.take.bind(store);
    store.take = async (replica, seen) => {
      await take(replica, seen);
      throw new Error('answer lost');
    };
    await expect(lanes.pass()).rejects.toThrow('answer lost');
    await lanes.pass();
    expect(listener.told).toEqual(['gained 0@1', 'gained 1@1']);
  });

  it('gives a lane up only when nothing of it is in flight, and starts nothing in it meanwhile (P-T9)', async () => {
    const { lanes, listener } = setUp('a', store, clock);
    await lanes.pass();
    const finish = listener.occupy(0);
    lanes.want(new Set([1]));
    await lanes.pass();
    expect(lanes.epochOf(0)).toBeUndefined();
    expect(store.lanes[0]!.owner).toBe('a');
    finish();
    await settled();
    expect(store.lanes[0]!.owner).toBeNull();
    expect(lanes.epochOf(1)).toBe(1);
  });

  it('lets what is claimed in a lane start before it starts nothing any more (P-T9)', async () => {
    const { lanes, listener } = setUp('a', store, clock);
    await lanes.pass();
    let keep!: () => void;
    listener.promises = new Promise(resolve => (keep = resolve));
    lanes.want(new Set([1]));
    await lanes.pass();
    await lanes.pass();
    expect([lanes.epochOf(0), store.lanes[0]!.owner]).toEqual([1, 'a']);
    keep();
    await settled();
    expect([lanes.epochOf(0), store.lanes[0]!.owner]).toEqual([undefined, null]);
    expect(listener.told.filter(each => each.startsWith('lost'))).toEqual(['lost 0@1']);
  });

  it('does not mistake a lane it just released for one it holds', async () => {
    const { lanes, listener } = setUp('a', store, clock);
    await lanes.pass();
    const rows = await store.beat('a');
    const finish = listener.occupy(0);
    lanes.want(new Set([1]));
    await lanes.pass();
    finish();
    await settled();
    store.beat = async () => rows;
    await lanes.pass();
    expect(lanes.epochOf(0)).toBeUndefined();
  });

  it('regression: a lane being given up is not taken again before that has ended, though it is free and wanted by then', async () => {
    const { lanes, listener } = setUp('a', store, clock);
    await lanes.pass();
    const release = store.release.bind(store);
    let answer!: () => void;
    store.release = async (replica, held) => {
      await release(replica, held);
      await new Promise<void>(resolve => (answer = resolve));
    };
    lanes.want(new Set([1]));
    await lanes.pass();
    lanes.want(new Set([0, 1]));
    await lanes.pass();
    expect([store.lanes[0]!.owner, lanes.epochOf(0)]).toEqual([null, undefined]);
    answer();
    await settled();
    await lanes.pass();
    expect(listener.told.at(-1)).toBe('gained 0@2');
    expect(lanes.epochOf(0)).toBe(2);
  });

  it('regression: a lane whose release failed is released again, and comes back only under a new epoch', async () => {
    const { lanes, listener } = setUp('a', store, clock);
    await lanes.pass();
    const release = store.release.bind(store);
    store.release = () => Promise.reject(new Error('database down'));
    lanes.want(new Set([1]));
    await lanes.pass();
    await settled();
    lanes.want(new Set([0, 1]));
    await lanes.pass();
    await settled();
    expect([store.lanes[0]!.owner, lanes.epochOf(0)]).toEqual(['a', undefined]);
    store.release = release;
    await lanes.pass();
    await settled();
    await lanes.pass();
    expect(listener.told.at(-1)).toBe('gained 0@2');
    expect(lanes.epochOf(0)).toBe(2);
  });

  it('leaving hands over lane by lane and forgets the replica (P-T9)', async () => {
    const { lanes, listener } = setUp('a', store, clock);
    await lanes.pass();
    const finish = listener.occupy(0);
    const leaving = lanes.leave();
    await settled();
    expect(store.lanes.map(lane => lane.owner)).toEqual(['a', null]);
    finish();
    await leaving;
    expect(store.lanes.map(lane => lane.owner)).toEqual([null, null]);
    expect(store.beats.size).toBe(0);
  });
});
