import type { AckTokens } from '@paycode/crypto';
import { type AckReceived, eventTypes, topics, type VerdictKind } from '@paycode/dto';
import { linesOfEvents } from '@paycode/events';
import { instants, joinedPayload, joinPayloads, preparedQuery, scalars, texts } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import type { Verdict } from '../deliveries/domain/delivery';

// Statements of the verdict register. Rows are inserted in the order of their ids, so that two batches with the same ids cannot deadlock.
const input = `
  with input as (
    select * from unnest($1::bigint[], $2::text[], $3::smallint[], $4::text[], $5::integer[], $6::timestamptz[], $7::timestamptz[],
                         $8::text[], $9::integer[])
      as t(transaction_id, kind, attempt, outcome, elapsed_ms, armed_at, started_at, unanswered, unanswered_ms))`;

/** AckReceived events of one row of the outbox: of some 330 bytes, they fill a page (ADR 0092). */
const acksPerRow = 22;
const columns = 'transaction_id, kind, attempt, outcome, elapsed_ms, armed_at, started_at, unanswered, unanswered_ms';

// A positive verdict needs no fence: any replica that saw the acknowledgement may write it while there is no row (P-1.1).
const acknowledge = (condition: string) => `
    ${input},
    written as (
      insert into verdict (${columns}) select ${columns} from input where ${condition} order by transaction_id
      on conflict do nothing
      returning transaction_id),
    announced as (
      insert into outbox (aggregatetype, type, source, aggregateid, event_id, time, payload, traceparent)
      select $10, $11, $12, ${linesOfEvents({ key: 'transaction_id::text', id: "'ack-' || transaction_id", order: 'transaction_id' })}
        from (select transaction_id, $13::text as time, ${joinedPayload('$14', 'start', 'length')} as payload, traceparent,
                     (row_number() over (order by transaction_id) - 1) / ${acksPerRow} as place
                from written
                join unnest($1::bigint[], $15::int[], $16::int[], $17::text[]) as e(transaction_id, start, length, traceparent)
               using (transaction_id)) ack
       group by place order by place)
    select transaction_id as id from written`;

const sql = {
  acknowledge: acknowledge('true'),

  // With reads in the batch. It takes no lock for the reversal: its snapshot finds one that committed before, and one that commits later
  // comes after the acknowledgement. A scalar subquery is one step into the index delivery_reversal per read; `not exists` may
  // become a hash of all reversals.
  acknowledgeReads: acknowledge(`kind <> 'ACKED_PULL' or (
        select true from delivery r
         where r.kind = 'REVERSAL' and r.status = 'REVERSED' and r.reference_transaction_id = input.transaction_id limit 1) is null`),

  // With FOR SHARE a takeover waits for this verdict, and this verdict sees a takeover that came first (P-I4).
  conclude: `
    ${input},
    fence as (select * from unnest($1::bigint[], $11::smallint[], $12::bigint[], $13::bigint[]) as t(transaction_id, shard, epoch, retry_ms)),
    held as materialized (
      select shard, epoch from shard where owner = $10 and shard in (select shard from fence) order by shard for share),
    written as (
      insert into verdict (${columns})
      select ${columns} from input join fence using (transaction_id) join held using (shard, epoch) order by transaction_id
      on conflict do nothing
      returning transaction_id),
    retried as (
      insert into notice_retry (transaction_id, shard, attempt, due_at)
      select transaction_id, f.shard, i.attempt + 1, clock_timestamp() + f.retry_ms * interval '1 millisecond'
        from written join fence f using (transaction_id) join input i using (transaction_id)
       where f.retry_ms is not null
      on conflict do nothing)
    select transaction_id as id from written`,

  standing: 'select transaction_id as id, kind from verdict where transaction_id = any($1::bigint[])',
} as const;

/** The write-once register. */
export abstract class VerdictStore {
  /**
   * Writes acknowledgements, from any replica and under any epoch, each with its AckReceived in the same commit. Returns the valid
   * verdict of each id, in order. A read (ACKED_PULL) of a payment that the core has reversed writes nothing; null: nor is there another
   * verdict. The receiver's own 200 counts all the same: it decides only that the core is not asked for a reversal.
   */
  abstract acknowledge(verdicts: readonly Verdict[]): Promise<(VerdictKind | null)[]>;
  /**
   * Writes all other verdicts, only for the owner of the shard. Returns the valid verdicts, in order; null when the shard has another owner
   * or epoch.
   */
  abstract conclude(replica: string, verdicts: readonly OwnedVerdict[]): Promise<(VerdictKind | null)[]>;
}

export interface OwnedVerdict extends Verdict {
  shard: number;
  epoch: number;
  /** An informational delivery that failed is tried again after this many milliseconds; null: never. */
  retryAfterMs: number | null;
}

export interface AckReceivedOptions {
  /** CloudEvents `source`. */
  source: string;
  tokens: Pick<AckTokens, 'tokenOf'>;
  /** Called after a commit that put AckReceived events into the outbox. */
  onAcknowledged?: () => void;
  /** The trace context that the event passes on. */
  traceparentOf?: ((transactionId: number) => string | undefined) | undefined;
}

/** The write-once register in PostgreSQL. The first insert of an id counts; later writers get the existing verdict. */
export class PostgresVerdictStore extends VerdictStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly options: AckReceivedOptions,
  ) {
    super();
  }

  override async acknowledge(all: readonly Verdict[]): Promise<(VerdictKind | null)[]> {
    const now = new Date();
    const { traceparentOf, onAcknowledged } = this.options;
    const verdicts = firstOfEach(all);
    const payloads = joinPayloads(verdicts.map(verdict => JSON.stringify(this.ackReceivedOf(verdict, now))));
    // Apart: the many 200s of receivers have no need of the reversals, and must not lock the partitions of all deliveries.
    const hasReads = verdicts.some(({ kind }) => kind === 'ACKED_PULL');
    const written = await this.written(hasReads ? 'acknowledgeReads' : 'acknowledge', [
      ...columnsOf(verdicts),
      topics.ackReceived,
      eventTypes[topics.ackReceived],
      this.options.source,
      now.toISOString(),
      payloads.bytes,
      payloads.starts,
      payloads.lengths,
      // PostgreSQL fills a shorter array up with nulls.
      texts(traceparentOf ? verdicts.map(({ transactionId }) => traceparentOf(transactionId) ?? null) : []),
    ]);
    if (written.size > 0) onAcknowledged?.();
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

  /** The event names transaction and attempt and carries the token of the transaction, so that it can acknowledge nothing else (T-18). */
  private ackReceivedOf(verdict: Verdict, now: Date): AckReceived {
    return {
      transactionId: verdict.transactionId,
      merchantId: verdict.merchantId,
      source: verdict.kind === 'ACKED_PULL' ? 'RECOVERY' : 'WEBHOOK',
      attempt: verdict.attempt ?? 0,
      elapsedMs: verdict.elapsedMs === null ? null : Math.round(verdict.elapsedMs),
      acknowledgedAt: (verdict.acknowledgedAt ?? now).toISOString(),
      ackToken: this.options.tokens.tokenOf(verdict.transactionId),
    };
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
