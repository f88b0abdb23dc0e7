import type { FaultCounts } from './engine/fault-counts.ts';
import { Faults } from './faults.ts';
import { auditWorld } from './world/final-audit.ts';
import type { Mutation } from './world/mutations.ts';
import type { BrokenInvariant } from './world/watcher.ts';
import { World } from './world/world.ts';

export interface SimulationOptions {
  seed: number;
  mutation?: Mutation;
  onTrace?: (line: string) => void;
}

export interface SimulationResult {
  seed: number;
  payments: number;
  settled: number;
  reversed: number;
  posts: number;
  /** Virtual milliseconds. */
  virtualMs: number;
  steps: number;
  /** Equal for two runs of one seed. */
  fingerprint: string;
  /** The faults that happened, with their counts. */
  faults: FaultCounts;
  broken: BrokenInvariant | null;
}

/** Virtual time that is enough for everything: audit, two full attempts, every back-off. */
const livenessMs = 45 * 60_000;
const checkMs = 1_000;
const relayMs = 200;

/**
 * One simulation: faults while payments come, then no faults until everything has ended (P-I7), with the other invariants checked at every
 * write. Must be called from a callback of the event loop, not from a promise.
 */
export function simulate({ seed, mutation, onTrace }: SimulationOptions): SimulationResult {
  const world = new World(seed, mutation);
  world.timeline.onTrace = onTrace;
  const isBroken = () => world.watcher.broken !== undefined;
  for (const node of [...world.dispatchers, ...world.schedulers]) node.start();
  repeat(world, relayMs, () => world.relay());
  new Faults(world).schedule();
  world.timeline.run(world.swarm.faultsMs, isBroken);
  if (!isBroken()) runToTheEnd(world, isBroken);
  return resultOf(world);
}

/** Faults off: everything must end. */
function runToTheEnd(world: World, isBroken: () => boolean): void {
  world.calmDown();
  const untilMs = world.timeline.nowMs + livenessMs;
  // Not asked at every step: looking at all payments costs more than a step.
  while (world.timeline.nowMs < untilMs && !isBroken() && !hasEnded(world))
    world.timeline.run(world.timeline.nowMs + checkMs, isBroken);
  if (isBroken()) return;
  for (const transactionId of world.core.announced) checkEnd(world, transactionId);
  auditWorld(world);
}

/** Decided, and reversed if decided so (P-I7). */
function checkEnd(world: World, transactionId: number): void {
  const { isReversible, decisions, reversals } = world.watcher.ghost(transactionId);
  if (isReversible && decisions.length === 0) world.watcher.fail('P-I7', transactionId, 'never decided');
  if (decisions[0] === 'REVERSED' && reversals === 0) world.watcher.fail('P-I7', transactionId, 'never reversed');
}

function hasEnded(world: World): boolean {
  return (
    world.silentNeighbour.isOver &&
    world.core.announced.every(id => {
      const { isReversible, decisions, reversals } = world.watcher.ghost(id);
      return !isReversible || decisions[0] === 'SETTLED' || (decisions[0] === 'REVERSED' && reversals > 0);
    })
  );
}

function resultOf(world: World): SimulationResult {
  const ghosts = world.core.announced.map(id => world.watcher.ghost(id));
  return {
    seed: world.timeline.seed,
    payments: ghosts.length,
    settled: ghosts.filter(({ decisions }) => decisions[0] === 'SETTLED').length,
    reversed: ghosts.filter(({ decisions }) => decisions[0] === 'REVERSED').length,
    posts: ghosts.reduce((sum, { posts }) => sum + posts.length, 0),
    virtualMs: world.timeline.nowMs,
    steps: world.timeline.steps,
    fingerprint: world.timeline.fingerprint,
    faults: world.timeline.faults,
    broken: world.watcher.broken ?? null,
  };
}

function repeat(world: World, everyMs: number, work: () => void): void {
  world.timeline.after(everyMs, () => {
    work();
    repeat(world, everyMs, work);
  });
}
