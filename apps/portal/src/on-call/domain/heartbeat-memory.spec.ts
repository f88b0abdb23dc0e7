import { HeartbeatMemory } from './heartbeat-memory';

describe('the heartbeat of a replica', () => {
  const of = (replica: string, heartbeat: number) => ({ replica, heartbeat, instance: null, shards: 1 });

  it('that does not move has stood still since it was first seen there, and one that moves has not (P-T6)', () => {
    const memory = new HeartbeatMemory();
    expect(memory.stillMs([of('a', 5), of('b', 5)], 1_000)).toEqual([0, 0]);
    expect(memory.stillMs([of('b', 6), of('a', 5)], 4_000)).toEqual([0, 3_000]);
    expect(memory.stillMs([of('b', 6), of('a', 5)], 9_000)).toEqual([5_000, 8_000]);
    expect(memory.stillMs([of('a', 6)], 10_000)).toEqual([0]);
  });

  it('is forgotten with its replica', () => {
    const memory = new HeartbeatMemory();
    memory.stillMs([of('a', 5)], 1_000);
    memory.stillMs([], 2_000);
    expect(memory.stillMs([of('a', 5)], 3_000)).toEqual([0]);
  });
});
