import { type Decision, eventTypes, topics } from '@paycode/dto';
import type { OutboxRelay } from '@paycode/events';
import { preparedQuery, replannedAsItGrows, scalars, texts } from '@paycode/persistence';
import type { DataSource } from 'typeorm';
import type { DecisionToRecord } from './domain/decision';
import { type DecisionOutcome, DecisionStore } from './reversal.ports';

const instant = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const decisionSql = {
  /** All batches write rows in the same order, so that two batches cannot deadlock on the same transactions. */
  decide: (source: string) => ({
    name: 'decide',
    text: `
  with offered as materialized (
    -- An acknowledgement is proven by the token that the dispatcher armed the payment with; null: it has not armed it (T-18). The scalar subquery
    -- is one step into the primary key.
    select t.*, case when t.token_needed is null then true else (
             select case when j.attempt > 0 then j.ack_token_hash is null or j.ack_token_hash is not distinct from t.token_hash end
               from job j where j.transaction_id = t.id) end as is_proven
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::uuid[])
      with ordinality as t(id, merchant, kind, verdict, reason, traceparent, token_needed, token_hash, at)),
  wanted as (
    select distinct on (id) * from offered where is_proven order by id, at),
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
  select transaction_id as id, kind, null as at from decided
   union all
  select id, case when is_proven is false then 'OTHER_TOKEN' else 'NOT_ARMED' end, at from offered where is_proven is not true`,
  }),

  find: 'select transaction_id as id, kind from decision where transaction_id = any($1::bigint[])',
} as const;

export interface ReversalRequestedOptions {
  /** CloudEvents `source`. Default: that of a platform of one cell. */
  source?: string;
  /** The trace context that an event passes on. */
  traceparentOf?: ((transactionId: number) => string | undefined) | undefined;
}

/** Decisions in PostgreSQL: insert only; the primary key makes each decision write-once (P-I1). */
export class PostgresDecisionStore extends DecisionStore {
  /** Decisions that this process was asked for. */
  private asked = 0;

  private readonly decideSql: ReturnType<typeof decisionSql.decide>;
  private readonly traceparentOf: ReversalRequestedOptions['traceparentOf'];

  /** `relay` is woken after a commit that put events into the outbox. */
  constructor(
    private readonly dataSource: DataSource,
    private readonly relay: Pick<OutboxRelay, 'wake'>,
    { source = 'reversal-scheduler', traceparentOf }: ReversalRequestedOptions = {},
  ) {
    super();
    this.decideSql = decisionSql.decide(source);
    this.traceparentOf = traceparentOf;
  }

  override async decide(items: readonly DecisionToRecord[]): Promise<DecisionOutcome[]> {
    if (items.length === 0) return [];
    this.asked += items.length;
    const statement = replannedAsItGrows(this.decideSql, this.asked);
    const rows = await preparedQuery<DecidedRow>(this.dataSource, statement, [
      scalars(items.map(item => item.transactionId)),
      scalars(items.map(item => item.merchantId)),
      texts(items.map(item => item.decision)),
      texts(items.map(item => item.verdict)),
      texts(items.map(item => item.reason)),
      // PostgreSQL fills a shorter array up with nulls.
      texts(this.traceparentOf ? items.map(item => this.traceparentOf!(item.transactionId) ?? null) : []),
      ...tokensOf(items),
    ]);
    if (rows.some(row => row.kind === 'REVERSED')) this.relay.wake();
    const decidedNow = new Map(rows.flatMap(row => (row.at === null ? [[Number(row.id), row.kind] as const] : [])));
    const unproven = new Map(rows.flatMap(row => (row.at === null ? [] : [[Number(row.at), row.kind] as const])));
    // This needs a second statement: the snapshot of the first lacks a decision that another session committed while it
    // ran.
    const before = items.map(item => item.transactionId).filter(id => !decidedNow.has(id));
    const standing = before.length > 0 ? await this.find(before) : new Map<number, Decision>();
    return outcomesOf(items, {
      standing: new Map([...standing, ...decidedNow]),
      decidedNow: new Set(decidedNow.keys()),
      unproven,
    });
  }

  override async find(transactionIds: readonly number[]): Promise<Map<number, Decision>> {
    const rows: { id: string; kind: Decision }[] = await this.dataSource.query(decisionSql.find, [scalars(transactionIds)]);
    return new Map(rows.map(row => [Number(row.id), row.kind]));
  }
}

type Unproven = NonNullable<DecisionOutcome['unproven']>;

/** A decision that was made, or (`at`: its place, from 1) an acknowledgement that is not proven. */
type DecidedRow = { id: string; at: null; kind: Decision } | { id: string; at: string; kind: Unproven };

/** Both empty for verdicts that need no token. */
function tokensOf(items: readonly DecisionToRecord[]): [needed: string, hashes: string] {
  if (!items.some(({ acknowledgement }) => acknowledgement)) return ['{}', '{}'];
  return [
    scalars(items.map(({ acknowledgement }) => (acknowledgement ? 1 : null))),
    texts(items.map(({ acknowledgement }) => acknowledgement?.tokenHash ?? null)),
  ];
}

interface Decided {
  standing: ReadonlyMap<number, Decision>;
  decidedNow: Set<number>;
  /** By place, from 1. */
  unproven: ReadonlyMap<number, Unproven>;
}

/** One outcome per item, in order; of several items for one transaction the first proven one decided it. */
function outcomesOf(items: readonly DecisionToRecord[], { standing, decidedNow, unproven }: Decided): DecisionOutcome[] {
  return items.map(({ transactionId }, index) => {
    const decision = standing.get(transactionId) ?? null;
    const why = unproven.get(index + 1);
    return why
      ? { transactionId, decision, isNew: false, unproven: why }
      : { transactionId, decision, isNew: decidedNow.delete(transactionId) };
  });
}
