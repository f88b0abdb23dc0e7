import { HeartbeatWatch } from './heartbeat-watch';
import type { ShardRow } from './ownership.ports';

const row = (changes: Partial<ShardRow> = {}): ShardRow => ({ shard: 1, owner: 'other', epoch: 4, heartbeat: 10, ...changes });

describe('heartbeats (P-T6)', () => {
  let watch: HeartbeatWatch;
  beforeEach(() => (watch = new HeartbeatWatch('me', 10_000)));
  const dead = (shards: ShardRow[], nowMs: number, replicas: { replica: string; heartbeat: number }[] = []) => [
    ...watch.deadOf({ replicas, shards }, nowMs),
  ];

  it('an owner whose heartbeat stood still for the lease time is dead, not a millisecond earlier', () => {
    expect(dead([row()], 5_000)).toEqual([]);
    expect(dead([row()], 14_999)).toEqual([]);
    expect(dead([row()], 15_000)).toEqual(['other']);
  });

  it('starts over whenever the heartbeat moves', () => {
    dead([row()], 0);
    dead([row({ heartbeat: 11 })], 9_999);
    expect(dead([row({ heartbeat: 11 })], 19_998)).toEqual([]);
    expect(dead([row({ heartbeat: 11 })], 19_999)).toEqual(['other']);
  });

  it('treats a heartbeat that went backwards as a sign of life', () => {
    dead([row()], 0);
    dead([row({ heartbeat: 1 })], 9_000);
    expect(dead([row({ heartbeat: 1 })], 10_000)).toEqual([]);
  });

  it('judges an owner that never registered like one whose heartbeat stands still', () => {
    expect(dead([row({ heartbeat: null })], 0)).toEqual([]);
    expect(dead([row({ heartbeat: null })], 10_000)).toEqual(['other']);
  });

  it('a shard without an owner declares no replica dead', () => {
    const free = row({ owner: null, heartbeat: null });
    expect([dead([free], 0), dead([free], 10_000)]).toEqual([[], []]);
  });

  it('treats a new owner of the shard as new, and also one that was gone for a while', () => {
    dead([row()], 0);
    expect(dead([row({ owner: 'third' })], 10_000)).toEqual([]);
    expect(dead([row()], 10_001)).toEqual([]);
  });

  it('judges a registered replica that owns nothing, and never the one that asks', () => {
    const registered = [{ replica: 'idle', heartbeat: 3 }, { replica: 'me', heartbeat: 3 }]; // prettier-ignore
    dead([row({ owner: 'me', heartbeat: 3 })], 0, registered);
    expect(dead([row({ owner: 'me', heartbeat: 3 })], 10_000, registered)).toEqual(['idle']);
  });
});
