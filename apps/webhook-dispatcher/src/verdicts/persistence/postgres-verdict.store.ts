import { type AckReceived, eventTypes, topics, type VerdictKind } from '@paycode/dto';
import { instants, joinPayloads, preparedQuery, scalars, texts } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import type { Verdict } from '../../deliveries';
import { type OwnedVerdict, VerdictStore } from '../verdicts.ports';
import { verdictSql as sql } from './verdict.sql';

/** The write-once register in PostgreSQL. The first insert of an id counts; later writers get the existing verdict. */
export class PostgresVerdictStore extends VerdictStore {
  /**
   * `onAcknowledged` is called after a commit that put AckReceived events into the outbox. `traceparentOf`: the trace context that the
   * event passes on.
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly source: string,
    private readonly onAcknowledged: () => void = () => undefined,
    private readonly traceparentOf?: (transactionId: number) => string | undefined,
  ) {
    super();
  }

  override async acknowledge(all: readonly Verdict[]): Promise<(VerdictKind | null)[]> {
    const now = new Date();
    const verdicts = firstOfEach(all);
    const payloads = joinPayloads(verdicts.map(verdict => JSON.stringify(ackReceivedOf(verdict, now))));
    // Apart: the many 200s of receivers have no need of the reversals, and must not lock the partitions of all deliveries.
    const hasReads = verdicts.some(({ kind }) => kind === 'ACKED_PULL');
    const written = await this.written(hasReads ? 'acknowledgeReads' : 'acknowledge', [
      ...columnsOf(verdicts),
      topics.ackReceived,
      eventTypes[topics.ackReceived],
      this.source,
      now.toISOString(),
      payloads.bytes,
      payloads.starts,
      payloads.lengths,
      // PostgreSQL fills a shorter array up with nulls.
      texts(this.traceparentOf ? verdicts.map(({ transactionId }) => this.traceparentOf!(transactionId) ?? null) : []),
    ]);
    if (written.size > 0) this.onAcknowledged();
    const standing = await this.standing(verdicts, written);
    for (const { transactionId, kind } of verdicts) if (written.has(transactionId)) standing.set(transactionId, kind);
    return all.map(verdict => standing.get(verdict.transactionId) ?? null);
  }

  override async conclude(replica: string, all: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]> {
    // A batch may hold one transaction twice, perhaps under two epochs. They are written one after the other, each with its own
    // fence.
    const first = new Set(firstOfEach(all));
    const verdicts = all.filter(verdict => first.has(verdict));
    const kinds = await this.concludeEach(replica, verdicts);
    const answers = new Map(verdicts.map((verdict, at) => [verdict, kinds[at]!]));
    const again = all.filter(verdict => !first.has(verdict));
    const kindsAgain = again.length > 0 ? await this.conclude(replica, again) : [];
    again.forEach((verdict, at) => answers.set(verdict, kindsAgain[at]!));
    return all.map(verdict => answers.get(verdict) ?? null);
  }

  private async concludeEach(replica: string, verdicts: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]> {
    const written = await this.written('conclude', [
      ...columnsOf(verdicts),
      replica,
      scalars(verdicts.map(verdict => verdict.shard)),
      scalars(verdicts.map(verdict => verdict.epoch)),
      scalars(verdicts.map(verdict => verdict.retryAfterMs)),
    ]);
    const standing = await this.standing(verdicts, written);
    return verdicts.map(({ transactionId, kind }) => (written.has(transactionId) ? kind : (standing.get(transactionId) ?? null)));
  }

  private async written(statement: keyof Omit<typeof sql, 'standing'>, parameters: unknown[]): Promise<Set<number>> {
    const text = sql[statement];
    // Reads are few, and planned each time: a plan that was made while there were few deliveries would read them all.
    const rows =
      statement === 'acknowledgeReads'
        ? await this.dataSource.query<{ id: string }[]>(text, parameters)
        : await preparedQuery<{ id: string }>(this.dataSource, { name: `verdict-${statement}`, text }, parameters);
    return new Set(rows.map(row => Number(row.id)));
  }

  /** The existing verdicts of those that were not written; runs a query only when there are any. */
  private async standing(verdicts: readonly Verdict[], written: ReadonlySet<number>): Promise<Map<number, VerdictKind>> {
    const refused = verdicts.map(verdict => verdict.transactionId).filter(id => !written.has(id));
    if (refused.length === 0) return new Map();
    const rows = await this.dataSource.query<{ id: string; kind: VerdictKind }[]>(sql.standing, [refused]);
    return new Map(rows.map(row => [Number(row.id), row.kind]));
  }
}

/** A flush may hold a webhook's 200 and a getNotification of one transaction: the earlier one counts. */
function firstOfEach<V extends Verdict>(verdicts: readonly V[]): V[] {
  return [...new Map(verdicts.toReversed().map(verdict => [verdict.transactionId, verdict])).values()];
}

function columnsOf(verdicts: readonly Verdict[]): unknown[] {
  return [
    scalars(verdicts.map(verdict => verdict.transactionId)),
    texts(verdicts.map(verdict => verdict.kind)),
    scalars(verdicts.map(verdict => verdict.attempt)),
    texts(verdicts.map(verdict => verdict.outcome)),
    scalars(verdicts.map(verdict => (verdict.elapsedMs === null ? null : Math.round(verdict.elapsedMs)))),
    instants(verdicts.map(verdict => verdict.armedAt)),
    instants(verdicts.map(verdict => verdict.startedAt)),
    ...unansweredOf(verdicts),
  ];
}

/** Both empty as long as nothing was sent again, which is usual: PostgreSQL fills a shorter array up with nulls. */
function unansweredOf(verdicts: readonly Verdict[]): [codes: string, elapsedMs: string] {
  if (!verdicts.some(verdict => verdict.unanswered)) return ['{}', '{}'];
  return [
    texts(verdicts.map(({ unanswered }) => unanswered?.code ?? null)),
    scalars(verdicts.map(({ unanswered }) => (unanswered ? Math.round(unanswered.elapsedMs) : null))),
  ];
}

/** The event names transaction and attempt, so that it can acknowledge nothing else (T-18). */
function ackReceivedOf(verdict: Verdict, now: Date): AckReceived {
  return {
    transactionId: verdict.transactionId,
    merchantId: verdict.merchantId,
    source: verdict.kind === 'ACKED_PULL' ? 'RECOVERY' : 'WEBHOOK',
    attempt: verdict.attempt ?? 0,
    elapsedMs: verdict.elapsedMs === null ? null : Math.round(verdict.elapsedMs),
    acknowledgedAt: (verdict.acknowledgedAt ?? now).toISOString(),
  };
}
