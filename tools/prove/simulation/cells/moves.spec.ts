import { outsidePromises } from '../engine/sim-process.ts';
import { moveGuards, type MoveGuard } from './moves-surroundings.ts';
import { MovesWorld } from './moves-world.ts';

/** The first of the seeds that breaks. */
function brokenSeed(seeds: number, guard?: MoveGuard) {
  for (let seed = 1; seed <= seeds; seed++) {
    const world = new MovesWorld(seed, guard);
    world.run();
    if (world.broken) return { seed, ...world.broken };
  }
  return undefined;
}

// proves: P-I15, one cell takes a payment while partitions move, and none is left behind (P-1.12).
describe('a partition that moves between cells, under faults', () => {
  it('each payment is taken by one cell', async () => {
    expect(await outsidePromises(() => brokenSeed(60))).toBeUndefined();
  });

  it.each(Object.keys(moveGuards) as MoveGuard[])('misses the guard %s', async guard => {
    expect(await outsidePromises(() => brokenSeed(400, guard))).toBeTruthy();
  });
});
