import { type Decision, eventTypes, topics } from '@paycode/dto';
import type { OutboxRelay } from '@paycode/events';
import { preparedQuery, scalars, texts } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import type { DecisionToRecord } from './domain/decision';
import { type DecisionOutcome, DecisionStore } from './reversal.ports';

const source = 'reversal-scheduler';
const instant = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const decisionSql = {
  /** All batches write rows in the same order, so that two batches cannot deadlock on the same transactions. */
  decide: {
    name: 'decide',
    text: `
  with wanted as (
    select distinct on (id) * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])
      with ordinality as t(id, merchant, kind, verdict, reason, traceparent, at) order by id, at),
  decided as (
    insert into decision (transaction_id, merchant_id, kind, verdict, reason)
    select id, merchant, kind, verdict, reason from wanted order by id
    on conflict (transaction_id) do nothing
    returning *),
  -- One statement commits the decision and its event, so that every decided reversal is also requested (P-I2). The event id names the
  -- transaction, so consumers recognise a repeat from any sender.
  requested as (
    insert into outbox (aggregatetype, aggregateid, type, event_id, source, time, payload, traceparent)
    select '${topics.reversalRequested}', transaction_id::text, '${eventTypes[topics.reversalRequested]}',
           'reversal-requested-' || transaction_id, '${source}', ${instant('at')},
           json_build_object('transactionId', transaction_id, 'merchantId', merchant_id, 'reason', reason,
                             'requestedAt', ${instant('at')})::text,
           (select traceparent from wanted where id = transaction_id)
      from decided where kind = 'REVERSED' order by transaction_id)
  select transaction_id as id, kind from decided`,
  },

  find: 'select transaction_id as id, kind from decision where transaction_id = any($1::bigint[])',
} as const;

/** Decisions in PostgreSQL: insert only; the primary key makes each decision write-once (P-I1). */
export class PostgresDecisionStore extends DecisionStore {
  /**
   * `relay` is woken after a commit that put events into the outbox. `traceparentOf`: the trace context that an event passes on.
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly relay: Pick<OutboxRelay, 'wake'>,
    private readonly traceparentOf?: (transactionId: number) => string | undefined,
  ) {
    super();
  }

  override async decide(items: readonly DecisionToRecord[]): Promise<DecisionOutcome[]> {
    if (items.length === 0) return [];
    const rows = await preparedQuery<{ id: string; kind: Decision }>(this.dataSource, decisionSql.decide, [
      scalars(items.map(item => item.transactionId)),
      scalars(items.map(item => item.merchantId)),
      texts(items.map(item => item.decision)),
      texts(items.map(item => item.verdict)),
      texts(items.map(item => item.reason)),
      // PostgreSQL fills a shorter array up with nulls.
      texts(this.traceparentOf ? items.map(item => this.traceparentOf!(item.transactionId) ?? null) : []),
    ]);
    if (rows.some(row => row.kind === 'REVERSED')) this.relay.wake();
    const decidedNow = new Map(rows.map(row => [Number(row.id), row.kind]));
    // This needs a second statement: the snapshot of the first lacks a decision that another session committed while it
    // ran.
    const before = items.map(item => item.transactionId).filter(id => !decidedNow.has(id));
    const standing = before.length > 0 ? await this.find(before) : new Map<number, Decision>();
    return outcomesOf(items, new Map([...standing, ...decidedNow]), new Set(decidedNow.keys()));
  }

  override async find(transactionIds: readonly number[]): Promise<Map<number, Decision>> {
    const rows: { id: string; kind: Decision }[] = await this.dataSource.query(decisionSql.find, [scalars(transactionIds)]);
    return new Map(rows.map(row => [Number(row.id), row.kind]));
  }
}

/** One outcome per item, in order; of several items for one transaction the first one decided it. */
function outcomesOf(
  items: readonly DecisionToRecord[],
  standing: ReadonlyMap<number, Decision>,
  decidedNow: Set<number>,
): DecisionOutcome[] {
  return items.map(({ transactionId }) => ({
    transactionId,
    decision: standing.get(transactionId)!,
    isNew: decidedNow.delete(transactionId),
  }));
}
