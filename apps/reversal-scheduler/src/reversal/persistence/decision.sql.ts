import { eventTypes, topics } from '@paycode/dto';

const source = 'reversal-scheduler';
const instant = (column: string) => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Statements of decisions. */
export const decisionSql = {
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
