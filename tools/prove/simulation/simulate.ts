import type { AuditedTransaction } from '../../../apps/operations/src/audit/audited-transaction.ts';
import { violationsOf } from '../../../apps/operations/src/audit/rules.ts';
import { FaultCounts } from './engine/timeline.ts';
import { Faults } from './faults.ts';
import { type Mutation, mutations } from './world/swarm.ts';
import { attemptsMax } from './world/watcher.ts';
import { World } from './world/world.ts';

/** Checks the final rows by the rules of `npm run paycode -- audit`, which do not know the history. */
function auditWorld(world: World): void {
  const scope = { graceS: 0, judgedS: Infinity, attemptsMax, hasSimulator: true, hasReceiverLog: false };
  for (const transactionId of world.core.announced) {
    for (const { rule, message } of violationsOf(recordOf(world, transactionId), scope))
      world.watcher.fail(`audit ${rule}`, transactionId, message);
  }
}

function recordOf(world: World, transactionId: number): AuditedTransaction {
  const delivery = world.tables.deliveries.get(transactionId);
  const verdict = world.tables.verdicts.get(transactionId);
  const job = world.reversals.jobRows.get(transactionId);
  const decision = world.reversals.decisionRows.get(transactionId);
  const ghost = world.watcher.ghost(transactionId);
  const ageS = 1;
  return {
    transactionId,
    dispatcher: delivery && {
      isReversible: delivery.isReversible,
      isStub: delivery.isStub,
      hasDelivery: true,
      ageS,
      attempts: world.tables.attemptsClaimed(delivery),
      // Nothing is restored here, so no verdict may follow a decision.
      verdict: verdict ? { kind: verdict.kind, ageS, wasPosted: verdict.startedAtMs !== null, followsDecision: false } : null,
    },
    scheduler:
      job || decision
        ? {
            job: job ? { ageS, attempt: job.attempt } : null,
            decision: decision ? { kind: decision.decision, verdict: decision.verdict, ageS } : null,
          }
        : undefined,
    simulator: { isSuccess: ghost.isReversible, ageS, reversals: ghost.reversals, failedReversals: 0 },
  };
}

interface SimulationOptions {
  seed: number;
  mutation?: Mutation;
  onTrace?: (line: string) => void;
}

export type SimulationResult = ReturnType<typeof resultOf>;

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
    world.coldFleet.isOver &&
    world.core.announced.every(id => {
      const { isReversible, decisions, reversals } = world.watcher.ghost(id);
      return !isReversible || decisions[0] === 'SETTLED' || (decisions[0] === 'REVERSED' && reversals > 0);
    })
  );
}

function resultOf(world: World) {
  const ghosts = world.core.announced.map(id => world.watcher.ghost(id));
  return {
    seed: world.timeline.seed,
    payments: ghosts.length,
    settled: ghosts.filter(({ decisions }) => decisions[0] === 'SETTLED').length,
    reversed: ghosts.filter(({ decisions }) => decisions[0] === 'REVERSED').length,
    posts: ghosts.reduce((sum, { posts }) => sum + posts.length, 0),
    /** Virtual milliseconds. */
    virtualMs: world.timeline.nowMs,
    steps: world.timeline.steps,
    /** Equal for two runs of one seed. */
    fingerprint: world.timeline.fingerprint,
    /** The faults that happened, with their counts. */
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

export type RunReport = ReturnType<typeof emptyReport>;

function emptyReport() {
  return {
    seeds: 0,
    payments: 0,
    settled: 0,
    reversed: 0,
    steps: 0,
    /** Processor time used, in seconds. */
    cpuS: 0,
    faults: new FaultCounts(),
    failures: [] as SimulationResult[],
  };
}

interface RunOptions {
  failuresMax: number;
  mutation?: Mutation;
  /** No further seed starts after this. */
  msMax?: number;
}

/** Runs `count` seeds from `from` on; stops after `failuresMax` broken ones. */
export function runSeeds(from: number, count: number, options: RunOptions): RunReport {
  const report = emptyReport();
  const [startedUs, startedMs] = [cpuUs(), performance.now()];
  const isOver = () =>
    report.failures.length >= options.failuresMax || performance.now() - startedMs > (options.msMax ?? Number.POSITIVE_INFINITY);
  for (let seed = from; seed < from + count && !isOver(); seed++) {
    const result = simulate({ seed, mutation: options.mutation });
    report.seeds++;
    report.payments += result.payments;
    report.settled += result.settled;
    report.reversed += result.reversed;
    report.steps += result.steps;
    report.faults.addAll(result.faults);
    if (result.broken) report.failures.push(result);
  }
  report.cpuS = (cpuUs() - startedUs) / 1e6;
  return report;
}

/** The first seed that notices the missing guard, or undefined when none of `seedsMax` seeds does. */
export function seedThatMisses(mutation: Mutation, from: number, seedsMax: number): SimulationResult | undefined {
  return runSeeds(from, seedsMax, { failuresMax: 1, mutation }).failures[0];
}

export function isMutation(name: string): name is Mutation {
  return name in mutations;
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
