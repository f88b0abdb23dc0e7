import { InternalCallError } from '@paycode/access';
import type { ArmItem, CloseAnswer, CloseItem, Decision, SettleItem, TransactionTerminal, VerdictKind } from '@paycode/dto';
import { ManualClock } from '@paycode/service-runtime/timing/testing';
import { shardCount, shardOf } from '@paycode/ownership';
import { ArmReversals } from '../arm-reversals';
import { DecideReversals } from '../decide-reversals';
import type { VerdictToDecide } from '../domain/decision';
import { DeliveryCloser, ReversalMetrics } from '../reversal.ports';
import { defaultTimerLimits, ReversalTimers, type ReversalTimersLimits } from '../reversal-timers';
import { WatchTerminals } from '../watch-terminals';
import { InMemoryReversalDatabase } from './in-memory-reversal-database';

/** Answers `close` from a map; a transaction without an entry is OPEN. */
export class ScriptedCloser extends DeliveryCloser {
  readonly verdicts = new Map<number, VerdictKind>();
  readonly calls: number[][] = [];
  fault: Error | undefined;
  /** A call that contains this transaction is refused. */
  refused: number | undefined;
  /** Left out of every answer. */
  forgotten: number | undefined;
  /** Awaited before any answer. */
  gate: Promise<void> = Promise.resolve();

  override async close(items: readonly CloseItem[]): Promise<CloseAnswer[]> {
    this.calls.push(items.map(item => item.transactionId));
    await this.gate;
    if (this.fault) throw this.fault;
    if (items.some(({ transactionId }) => transactionId === this.refused))
      throw new InternalCallError('close answered 400', 400, true, undefined);
    const answered = items.filter(({ transactionId }) => transactionId !== this.forgotten);
    return answered.map(({ transactionId }) => ({ transactionId, verdict: this.verdicts.get(transactionId) ?? 'OPEN' }));
  }
}

export class CountingMetrics extends ReversalMetrics {
  readonly contradictions: string[] = [];
  readonly decidedCount: Record<Decision, number> = { SETTLED: 0, REVERSED: 0 };
  readonly lateMs: number[] = [];
  readonly settledAfterMs: number[] = [];
  readonly parkedWork: string[] = [];
  readonly unprovenAcks: string[] = [];
  readonly askedCount = { decided: 0, open: 0, fault: 0 };
  armedCount = 0;
  watchedCount = 0;

  override armed(count: number): void {
    this.armedCount += count;
  }
  override watched(count: number): void {
    this.watchedCount += count;
  }
  override unproven(why: string, transactionId: number): void {
    this.unprovenAcks.push(`${why} ${transactionId}`);
  }
  override asked(outcome: 'decided' | 'open' | 'fault', count: number): void {
    this.askedCount[outcome] += count;
  }
  override decided(decision: Decision, count: number): void {
    this.decidedCount[decision] += count;
  }
  override decidedLate(lateMs: number): void {
    this.lateMs.push(lateMs);
  }
  override settled(afterMs: number): void {
    this.settledAfterMs.push(afterMs);
  }
  override workParked(step: string, transactionId: number): void {
    this.parkedWork.push(`${step} ${transactionId}`);
  }
  override contradicted(kind: string, transactionId: number): void {
    this.contradictions.push(`${kind} ${transactionId}`);
  }
}

/** The scheduler's real use cases on stores in memory, owning every shard. */
export function schedulerUnderTest(limits: Partial<ReversalTimersLimits> = {}) {
  const clock = new ManualClock(1_000_000);
  const wallClock = { setBackMs: 0 };
  const database = new InMemoryReversalDatabase(() => 1_700_000_000_000_000 + (clock.nowMs() - wallClock.setBackMs) * 1_000);
  const { jobs, decisions } = database;
  const closer = new ScriptedCloser();
  const metrics = new CountingMetrics();
  const armReversals = new ArmReversals({ jobs, decisions, metrics });
  const reversals = new DecideReversals({ decisions, metrics });
  const watchTerminals = new WatchTerminals({ jobs, metrics });
  const timers = new ReversalTimers({ jobs, closer, reversals, clock, metrics }, { ...defaultTimerLimits, ...limits });
  timers.own(new Set(Array.from({ length: shardCount }, (_, shard) => shard)));
  const calls = {
    arm: (items: readonly ArmItem[]) => armReversals.arm(items),
    decide: (verdicts: readonly VerdictToDecide[]) => reversals.decide(verdicts),
    decideEach: (verdicts: readonly SettleItem[]) => reversals.decideEach(verdicts),
    watch: (terminals: readonly TransactionTerminal[]) => watchTerminals.watch(terminals),
  };
  return { clock, wallClock, database, closer, metrics, timers, ...calls };
}

const turnsMax = 200;

/** Reads and fires until nothing is due. @throws Error when that never comes */
export async function tick({ timers }: { timers: ReversalTimers }): Promise<void> {
  await untilDone(() => timers.load());
  await untilDone(() => timers.fire());
}

export async function tickAfter(scheduler: { timers: ReversalTimers; clock: ManualClock }, ms: number): Promise<void> {
  await scheduler.clock.advance(ms);
  await tick(scheduler);
}

/** Takes steps until one says that there is no more to do: nothing in memory ever lets the clock of a test run out. */
export async function untilDone(step: () => Promise<boolean>): Promise<void> {
  for (let turns = 0; await step(); turns++) if (turns === turnsMax) throw new Error(`not done after ${turnsMax} turns`);
}

export const job = (transactionId: number, attempt = 1) => ({ transactionId, merchantId: 7, attempt });

/** A transaction of the shard, other than the first. */
export function anotherOf(shard: number): number {
  let transactionId = 2;
  while (shardOf(transactionId) !== shard) transactionId++;
  return transactionId;
}
