import { FailureDetector } from './failure-detector';
import type { ShardRow } from './ownership.ports';

const row = (changes: Partial<ShardRow> = {}): ShardRow => ({ shard: 1, owner: 'other', epoch: 4, heartbeat: 10, ...changes });

describe('heartbeats (P-T6)', () => {
  let detector: FailureDetector;
  beforeEach(() => (detector = new FailureDetector('me', { leaseMs: 10_000, graceMs: 1_500 })));
  const dead = (shards: ShardRow[], nowMs: number, replicas: { replica: string; heartbeat: number }[] = []) => [
    ...detector.deadOf({ replicas, shards }, { askedMs: nowMs, readMs: nowMs }),
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

  it('regression: a process that was paused between asking and reading counts what it read from then on', () => {
    detector.deadOf({ replicas: [], shards: [row()] }, { askedMs: 0, readMs: 12_000 });
    expect(dead([row()], 21_999)).toEqual([]);
    expect(dead([row()], 22_000)).toEqual(['other']);
  });
});

describe('locks (P-T11, A-110)', () => {
  let detector: FailureDetector;
  beforeEach(() => (detector = new FailureDetector('me', { leaseMs: 10_000, graceMs: 1_500 })));
  const read = (atMs: number, isHeld: boolean, { heartbeat = 10, session }: { heartbeat?: number; session?: number }) => {
    const rows = { replicas: [{ replica: 'other', heartbeat, isHeld }], shards: [row({ heartbeat })] };
    return [...detector.deadOf({ ...rows, ...(session && { session }) }, { askedMs: atMs, readMs: atMs })];
  };

  it.each([
    [
      'an owner whose lock fell is dead once its heartbeat has stood still for the grace, not a millisecond earlier',
      1_000,
      1_500,
    ],
    ['one read that misses the lock says nothing: its owner may be taking it again', 5_000, 5_200],
  ])('%s', (_, missedMs, deadMs) => {
    read(-1_000, true, { session: 1, heartbeat: 9 });
    read(0, true, { session: 1 });
    expect(read(missedMs, false, { session: 1 })).toEqual([]);
    expect(read(deadMs - 1, false, { session: 1 })).toEqual([]);
    expect(read(deadMs, false, { session: 1 })).toEqual(['other']);
  });

  it('a heartbeat or a lock that came back is a sign of life', () => {
    read(0, true, { session: 1 });
    read(1_000, false, { session: 1 });
    expect(read(2_000, false, { session: 1, heartbeat: 11 })).toEqual([]);
    expect(read(3_000, true, { session: 1, heartbeat: 11 })).toEqual([]);
    expect(read(4_000, false, { session: 1, heartbeat: 11 })).toEqual([]);
  });

  it('a lock that this process has not seen in its own unbroken session proves nothing: the server may have been away', () => {
    read(0, true, { session: 1 });
    expect([read(2_000, false, { session: 2 }), read(9_999, false, { session: 2 })]).toEqual([[], []]);
    expect(read(10_000, false, { session: 2 })).toEqual(['other']);
  });

  it('without a session of its own a process judges by heartbeats alone, and forgets the locks it saw', () => {
    read(0, true, { session: 1 });
    expect([read(2_000, false, {}), read(3_000, false, { session: 1 }), read(4_000, false, { session: 1 })]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('says when a lock is missed, so that the next read comes sooner', () => {
    read(0, true, { session: 1 });
    expect(detector.isLockMissing).toBe(false);
    read(1_000, false, { session: 1 });
    expect(detector.isLockMissing).toBe(true);
    read(1_200, true, { session: 1 });
    expect(detector.isLockMissing).toBe(false);
  });
});
