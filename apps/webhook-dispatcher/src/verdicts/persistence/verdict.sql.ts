import { linesOfEvents } from '@paycode/events';
import { joinedPayload } from '@paycode/persistence';

// Statements of the verdict register. Rows are inserted in the order of their ids, so that two batches with the same ids cannot deadlock.
const input = `
  with input as (
    select * from unnest($1::bigint[], $2::text[], $3::smallint[], $4::text[], $5::integer[], $6::timestamptz[], $7::timestamptz[],
                         $8::text[], $9::integer[])
      as t(transaction_id, kind, attempt, outcome, elapsed_ms, armed_at, started_at, unanswered, unanswered_ms))`;

/** AckReceived events of one row of the outbox: of some 290 bytes, they fill a page (ADR 0092). */
const acksPerRow = 25;
const columns = 'transaction_id, kind, attempt, outcome, elapsed_ms, armed_at, started_at, unanswered, unanswered_ms';

// A positive verdict needs no fence: any replica that saw the acknowledgement may write it while there is no row (P-1.1).
const acknowledge = (condition: string) => `
    ${input},
    written as (
      insert into verdict (${columns}) select ${columns} from input where ${condition} order by transaction_id
      on conflict do nothing
      returning transaction_id),
    told as (
      insert into outbox (aggregatetype, type, source, aggregateid, event_id, time, payload, traceparent)
      select $10, $11, $12, ${linesOfEvents({ key: 'transaction_id::text', id: "'ack-' || transaction_id", order: 'transaction_id' })}
        from (select transaction_id, $13::text as time, ${joinedPayload('$14', 'start', 'length')} as payload, traceparent,
                     (row_number() over (order by transaction_id) - 1) / ${acksPerRow} as place
                from written
                join unnest($1::bigint[], $15::int[], $16::int[], $17::text[]) as e(transaction_id, start, length, traceparent)
               using (transaction_id)) ack
       group by place order by place)
    select transaction_id as id from written`;

export const verdictSql = {
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
