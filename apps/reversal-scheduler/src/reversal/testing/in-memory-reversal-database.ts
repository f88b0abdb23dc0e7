import type { ArmItem, CloseItem, Decision, ReversalRequested, ReversalState, VerdictKind } from '@paycode/dto';
import { shardOf } from '@paycode/ownership';
import type { DecisionToRecord } from '../domain/decision';
import {
  type Armed,
  type DecisionOutcome,
  DecisionStore,
  JobStore,
  type LowWaterMark,
  type ScannedJobs,
  type ShardCursor,
} from '../reversal.ports';

const lowWaterDistanceUs = 120_000_000;

interface JobRow extends ArmItem {
  shard: number;
  armedAtUs: number;
  dueAtUs: number;
}

interface DecisionRow extends DecisionToRecord {
  atUs: number;
}

/** Called for every row that is written. */
export interface ReversalDatabaseWatcher {
  jobWritten(transactionId: number): void;
  decisionWritten(row: DecisionToRecord): void;
}

/**
 * The scheduler's tables in memory. `reversal-stores.conformance.ts` compares them with the PostgreSQL stores. Every method is
 * one atomic step, as every method of the PostgreSQL stores is one statement.
 */
export class InMemoryReversalDatabase {
  readonly jobRows = new Map<number, JobRow>();
  readonly decisionRows = new Map<number, DecisionRow>();
  readonly outbox: ReversalRequested[] = [];
  /** Acknowledgements of payments that were not armed, by transaction and hash of the token. */
  readonly early = new Map<number, Map<string | null, VerdictKind>>();
  /** Jobs without a decision, in place of the index. */
  readonly openJobs = new Map<number, JobRow>();
  private readonly lowDueAtUs = new Map<number, number>();
  readonly jobs: JobStore = new InMemoryJobStore(this);
  readonly decisions: DecisionStore = new InMemoryDecisionStore(this);

  /** `nowUs`: the database's clock, microseconds since 1970. */
  constructor(
    readonly nowUs: () => number,
    readonly watcher?: ReversalDatabaseWatcher,
  ) {}

  lowWater(shard: number): number {
    return this.lowDueAtUs.get(shard) ?? -Infinity;
  }

  raiseLowWater({ shard, dueAtUs }: LowWaterMark): void {
    const mark = Math.min(dueAtUs, this.nowUs()) - lowWaterDistanceUs;
    if (mark > this.lowWater(shard)) this.lowDueAtUs.set(shard, mark);
  }
}

class InMemoryJobStore extends JobStore {
  constructor(private readonly database: InMemoryReversalDatabase) {
    super();
  }

  override async arm(jobs: readonly ArmItem[], delayMs: number): Promise<Armed> {
    const nowUs = this.database.nowUs();
    for (const job of jobs) this.upsert(job, nowUs, nowUs + delayMs * 1_000);
    const decided = await this.database.decisions.find(jobs.map(({ transactionId }) => transactionId));
    const acknowledged = jobs.flatMap(({ transactionId, ackTokenHash }) => {
      const early = [...(this.database.early.get(transactionId) ?? [])];
      const fitting = early.filter(([hash]) => ackTokenHash === undefined || hash === ackTokenHash);
      return fitting.map(([, verdict]) => [transactionId, verdict] as const);
    });
    return { decided, acknowledged: new Map(acknowledged) };
  }

  override async keepEarly(acknowledgements: readonly DecisionToRecord[]): Promise<void> {
    for (const { transactionId, verdict, acknowledgement } of acknowledgements) {
      const kept = this.database.early.get(transactionId) ?? new Map<string | null, VerdictKind>();
      const hash = acknowledgement?.tokenHash ?? null;
      if (!kept.has(hash)) this.database.early.set(transactionId, kept.set(hash, verdict));
    }
  }

  override async watch(items: readonly CloseItem[], delayMs: number): Promise<number> {
    const { jobRows, decisionRows } = this.database;
    const missing = items.filter(({ transactionId: id }) => !jobRows.has(id) && !decisionRows.has(id));
    const nowUs = this.database.nowUs();
    const before = jobRows.size;
    for (const { transactionId } of items) {
      const open = this.database.openJobs.get(transactionId);
      if (open && open.dueAtUs < nowUs) open.dueAtUs = nowUs + delayMs * 1_000;
    }
    for (const item of missing) this.upsert({ ...item, attempt: 0 }, nowUs, nowUs + delayMs * 1_000);
    return jobRows.size - before;
  }

  override async scan(cursors: readonly ShardCursor[], window: { withinMs: number; max: number }): Promise<ScannedJobs> {
    const nowUs = this.database.nowUs();
    const due = [...this.database.openJobs.values()]
      .filter(job => job.dueAtUs <= nowUs + window.withinMs * 1_000)
      .sort((a, b) => a.dueAtUs - b.dueAtUs || a.transactionId - b.transactionId);
    const byShard = Map.groupBy(due, ({ shard }) => shard);
    const jobs = [...cursors]
      .sort((a, b) => a.shard - b.shard)
      .flatMap(cursor => (byShard.get(cursor.shard) ?? []).filter(job => this.isAfter(job, cursor)).slice(0, window.max))
      .map(({ transactionId, merchantId, shard, dueAtUs }) => ({
        transactionId,
        merchantId,
        shard,
        dueAtUs,
        dueInMs: (dueAtUs - nowUs) / 1_000,
      }));
    return { jobs, nowUs };
  }

  override async undecided(transactionIds: readonly number[]): Promise<Map<number, number>> {
    const nowUs = this.database.nowUs();
    const open = transactionIds.flatMap(id => this.database.openJobs.get(id) ?? []);
    return new Map(open.map(job => [job.transactionId, (job.dueAtUs - nowUs) / 1_000]));
  }

  override async advance(marks: readonly LowWaterMark[]): Promise<void> {
    for (const mark of marks) this.database.raiseLowWater(mark);
  }

  override async stateOf(transactionId: number): Promise<ReversalState | undefined> {
    const job = this.database.jobRows.get(transactionId);
    const decision = this.database.decisionRows.get(transactionId);
    if (!job && !decision) return undefined;
    const armed = job ? { armedAt: iso(job.armedAtUs), dueAt: iso(job.dueAtUs) } : { armedAt: null, dueAt: null };
    if (!decision) return { transactionId, state: 'ARMED', ...armed, decidedAt: null, reason: null };
    return { transactionId, state: decision.decision, ...armed, decidedAt: iso(decision.atUs), reason: decision.reason };
  }

  private upsert(job: ArmItem, nowUs: number, dueAtUs: number): void {
    const known = this.database.jobRows.get(job.transactionId);
    if (!known) {
      const row = { ...job, shard: shardOf(job.transactionId), armedAtUs: nowUs, dueAtUs };
      this.database.jobRows.set(job.transactionId, row);
      if (!this.database.decisionRows.has(job.transactionId)) this.database.openJobs.set(job.transactionId, row);
      this.database.watcher?.jobWritten(job.transactionId);
      return;
    }
    known.attempt = Math.max(known.attempt, job.attempt);
    if (job.ackTokenHash !== undefined) known.ackTokenHash = job.ackTokenHash;
    known.dueAtUs = Math.max(known.dueAtUs, dueAtUs);
  }

  private isAfter(job: JobRow, { shard, after }: ShardCursor): boolean {
    if (!after) return job.dueAtUs >= Math.min(this.database.lowWater(shard), this.database.nowUs() - lowWaterDistanceUs);
    return job.dueAtUs > after.dueAtUs || (job.dueAtUs === after.dueAtUs && job.transactionId > after.transactionId);
  }
}

class InMemoryDecisionStore extends DecisionStore {
  constructor(private readonly database: InMemoryReversalDatabase) {
    super();
  }

  override async decide(items: readonly DecisionToRecord[]): Promise<DecisionOutcome[]> {
    const recorded = items.map(item => {
      const unproven = this.whyUnproven(item);
      const isNew = !unproven && !this.database.decisionRows.has(item.transactionId);
      if (isNew) this.record(item);
      return { transactionId: item.transactionId, isNew, ...(unproven ? { unproven } : {}) };
    });
    return recorded.map(outcome => ({
      ...outcome,
      decision: this.database.decisionRows.get(outcome.transactionId)?.decision ?? null,
    }));
  }

  private whyUnproven({ transactionId, acknowledgement }: DecisionToRecord): DecisionOutcome['unproven'] {
    if (!acknowledgement) return undefined;
    const job = this.database.jobRows.get(transactionId);
    if (!job || job.attempt === 0) return 'NOT_ARMED';
    return job.ackTokenHash === undefined || job.ackTokenHash === acknowledgement.tokenHash ? undefined : 'OTHER_TOKEN';
  }

  override async find(transactionIds: readonly number[]): Promise<Map<number, Decision>> {
    const found = transactionIds.flatMap(id => this.database.decisionRows.get(id) ?? []);
    return new Map(found.map(row => [row.transactionId, row.decision]));
  }

  private record(item: DecisionToRecord): void {
    const atUs = this.database.nowUs();
    this.database.decisionRows.set(item.transactionId, { ...item, atUs });
    this.database.openJobs.delete(item.transactionId);
    this.database.watcher?.decisionWritten(item);
    const { transactionId, merchantId, reason } = item;
    if (reason) this.database.outbox.push({ transactionId, merchantId, reason, requestedAt: iso(atUs) });
  }
}

function iso(atUs: number): string {
  return new Date(Math.floor(atUs / 1_000)).toISOString();
}
