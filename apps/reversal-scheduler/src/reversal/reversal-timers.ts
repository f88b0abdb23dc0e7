import type { CloseAnswer, SettleItem } from '@paycode/dto';
import { isolate } from '@paycode/persistence';
import type { Clock } from '@paycode/service-runtime/timing';
import type { DecideReversals } from './decide-reversals';
import { DueHeap, type Timer } from './domain/due-heap';
import { askAgainMs, askParkedAgainMs, retryAfterFaultMs } from './domain/timing';
import type { DeliveryCloser, JobStore, LowWaterMark, ReversalMetrics, ShardCursor } from './reversal.ports';

export interface ReversalTimersPorts {
  jobs: JobStore;
  closer: DeliveryCloser;
  reversals: Pick<DecideReversals, 'decideEach'>;
  clock: Pick<Clock, 'nowMs'>;
  metrics: ReversalMetrics;
}

export interface ReversalTimersLimits {
  /** Jobs are loaded this long before they are due, in milliseconds. */
  windowMs: number;
  /** Jobs read per shard and pass. */
  pageMax: number;
  /** Timers held in memory; further jobs stay in the database until these have fired. */
  timersMax: number;
  /** Transactions asked about in one call. */
  closeMax: number;
}

/** Loads per window: a job is in memory for at least four fifths of a window before it is due. */
const loadsPerWindow = 5;

export const defaultTimerLimits: ReversalTimersLimits = { windowMs: 10_000, pageMax: 500, timersMax: 200_000, closeMax: 1_000 };

/**
 * Flow: near-due jobs of the owned shards -> heap -> due -> call `close` of the dispatcher -> decision. The timer only asks: after
 * OPEN it asks again in 5 s, after a fault of dispatcher or database in 1 s, and only a verdict decides. A payment whose own data makes the
 * call or the decision fail is parked for a minute and stays undecided, so no money moves; the other payments continue (T-29).
 */
export class ReversalTimers {
  private readonly heap = new DueHeap();
  private readonly cursors = new Map<number, ShardCursor>();
  /** Timers that were taken from the heap and are not decided yet. */
  private readonly asking = new Set<Timer>();
  private loadAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly ports: ReversalTimersPorts,
    private readonly limits: ReversalTimersLimits = defaultTimerLimits,
  ) {}

  /** Timers waiting in memory. */
  get size(): number {
    return this.heap.size;
  }

  /** Time until the next timer in memory is due, in milliseconds; 0 when one is due, infinite when there is none. */
  get nextInMs(): number {
    return Math.max(0, (this.heap.nextAskAtMs ?? Infinity) - this.ports.clock.nowMs());
  }

  /** Time since the due time of the oldest undecided job in memory, in milliseconds; 0 when none is overdue. */
  get overdueMs(): number {
    let oldestMs = Infinity;
    for (const { dueAtMs } of this.heap.timers()) oldestMs = Math.min(oldestMs, dueAtMs);
    return Math.max(0, this.ports.clock.nowMs() - oldestMs);
  }

  /** Serves these shards from now on; it reads a gained shard from its low-water mark. */
  own(shards: ReadonlySet<number>): void {
    const lost = new Set([...this.cursors.keys()].filter(shard => !shards.has(shard)));
    for (const shard of lost) this.cursors.delete(shard);
    if (lost.size > 0) this.heap.dropShards(lost);
    for (const shard of shards) {
      if (this.cursors.has(shard)) continue;
      this.cursors.set(shard, { shard, after: null });
      this.loadAtMs = Number.NEGATIVE_INFINITY;
    }
  }

  /** Whether near-due jobs are to be read now: at once for a gained shard and while pages are full. */
  get isLoadDue(): boolean {
    return this.loadInMs === 0;
  }

  /** Time until near-due jobs are to be read again, in milliseconds. */
  get loadInMs(): number {
    return Math.max(0, this.loadAtMs - this.ports.clock.nowMs());
  }

  /** Reads one page per owned shard into the heap. True when more is to be read now. */
  async load(): Promise<boolean> {
    if (this.cursors.size === 0 || this.heap.size >= this.limits.timersMax) return false;
    const { windowMs, pageMax } = this.limits;
    const before = new Map(this.cursors);
    const beganAtMs = this.ports.clock.nowMs();
    // A shard that is gained from here on makes a load due again.
    this.loadAtMs = beganAtMs + windowMs / loadsPerWindow;
    const { jobs: found, nowUs } = await this.ports.jobs.scan([...before.values()], { withinMs: windowMs, max: pageMax });
    const same = new Set([...before].filter(([shard, cursor]) => this.cursors.get(shard) === cursor).map(([shard]) => shard));
    const perShard = new Map<number, number>();
    for (const { dueInMs, ...job } of found) {
      // The shard was lost during the read: its new owner has the job. If it was also gained again, reading restarts, because its timers
      // were dropped.
      if (!same.has(job.shard)) continue;
      this.cursors.set(job.shard, { shard: job.shard, after: job });
      // Reckoned from the beginning: what the answer took would make each timer late. One that asks early learns that, and waits.
      const dueAtMs = beganAtMs + dueInMs;
      this.heap.push({ ...job, dueAtMs }, dueAtMs);
      perShard.set(job.shard, (perShard.get(job.shard) ?? 0) + 1);
    }
    this.passOver(
      [...same].filter(shard => (perShard.get(shard) ?? 0) < pageMax),
      nowUs,
    );
    const isMore = [...perShard.values()].some(count => count >= pageMax);
    if (isMore) this.loadAtMs = Number.NEGATIVE_INFINITY;
    return isMore;
  }

  /** Asks about the timers that are due. True when more are due now. */
  async fire(): Promise<boolean> {
    const due = this.heap.popDue(this.ports.clock.nowMs(), this.limits.closeMax);
    if (due.length === 0) return false;
    for (const timer of due) this.asking.add(timer);
    try {
      await this.ask(await this.stillUndecided(due));
    } catch (error) {
      // Without an answer nothing is decided. Payments that are decided meanwhile are dropped when their timer fires
      // again.
      this.again(due, retryAfterFaultMs);
      this.ports.metrics.asked('fault', due.length);
      throw error;
    } finally {
      for (const timer of due) this.asking.delete(timer);
    }
    return due.length === this.limits.closeMax;
  }

  /** Lets later scans start at the oldest job that is still undecided. */
  async advance(): Promise<void> {
    const marks = new Map<number, LowWaterMark>();
    for (const { shard, after } of this.cursors.values()) if (after) marks.set(shard, { shard, dueAtUs: after.dueAtUs });
    // The mark must also stay behind jobs that are being asked about.
    for (const { shard, dueAtUs } of [...this.heap.timers(), ...this.asking]) {
      const mark = marks.get(shard);
      if (mark && dueAtUs < mark.dueAtUs) mark.dueAtUs = dueAtUs;
    }
    if (marks.size > 0) await this.ports.jobs.advance([...marks.values()]);
  }

  /**
   * Moves the position of shards that were read to the end of the window: every job due in it is in memory or decided, and a new job is due
   * long after it. Later scans begin there; otherwise each would read every decided job of the last minutes again. When the store's clock
   * was set back, the position moves back with it, because new jobs may be due before the last one.
   */
  private passOver(shards: readonly number[], nowUs: number): void {
    const after = { dueAtUs: nowUs + this.limits.windowMs * 1_000, transactionId: 0 };
    for (const shard of shards) this.cursors.set(shard, { shard, after });
  }

  private async stillUndecided(due: readonly Timer[]): Promise<Timer[]> {
    const leftMs = await this.ports.jobs.undecided(due.map(timer => timer.transactionId));
    const nowMs = this.ports.clock.nowMs();
    return due.filter(timer => {
      const left = leftMs.get(timer.transactionId);
      // A later attempt has moved the due time, so the timer waits for it.
      if (left !== undefined && left > 0) this.push(timer, nowMs + left);
      return left !== undefined && left <= 0;
    });
  }

  private async ask(timers: readonly Timer[]): Promise<void> {
    const { answers, refused } = await this.answersOf(timers);
    const verdicts = timers.flatMap(timer => verdictOf(timer, answers.get(timer.transactionId)));
    const undecided = await this.ports.reversals.decideEach(verdicts);
    const decided = new Set(verdicts.map(verdict => verdict.transactionId).filter(id => !undecided.has(id)));
    const parked = timers.filter(({ transactionId: id }) => undecided.has(id) || refused.has(id));
    this.again(parked, askParkedAgainMs);
    const open = timers.filter(({ transactionId: id }) => !decided.has(id) && !undecided.has(id) && !refused.has(id));
    this.again(open, askAgainMs);
    this.ports.metrics.asked('fault', parked.length);
    this.report(timers, open.length, decided);
  }

  /** The answers of `close`, and the transactions that it refuses. */
  private async answersOf(timers: readonly Timer[]): Promise<{ answers: Map<number, CloseAnswer>; refused: Set<number> }> {
    const answers = new Map<number, CloseAnswer>();
    const refused = new Set<number>();
    const items = timers.map(({ transactionId, merchantId }) => ({ transactionId, merchantId }));
    await isolate(items, {
      write: async part => {
        for (const answer of await this.ports.closer.close(part)) answers.set(answer.transactionId, answer);
      },
      failed: ({ transactionId }, error) => {
        refused.add(transactionId);
        this.ports.metrics.workParked('close', transactionId, error);
      },
    });
    return { answers, refused };
  }

  private report(timers: readonly Timer[], open: number, decided: ReadonlySet<number>): void {
    const nowMs = this.ports.clock.nowMs();
    for (const timer of timers) if (decided.has(timer.transactionId)) this.ports.metrics.decidedLate(nowMs - timer.dueAtMs);
    this.ports.metrics.asked('decided', decided.size);
    this.ports.metrics.asked('open', open);
  }

  private again(timers: readonly Timer[], delayMs: number): void {
    const askAtMs = this.ports.clock.nowMs() + delayMs;
    for (const timer of timers) this.push(timer, askAtMs);
  }

  private push(timer: Timer, askAtMs: number): void {
    if (this.cursors.has(timer.shard)) this.heap.push(timer, askAtMs);
  }
}

/** Empty for OPEN, and for a transaction that the answer lacks. */
function verdictOf({ transactionId, merchantId }: Timer, answer: CloseAnswer | undefined): SettleItem[] {
  if (!answer || answer.verdict === 'OPEN') return [];
  return [{ transactionId, merchantId, verdict: answer.verdict }];
}
