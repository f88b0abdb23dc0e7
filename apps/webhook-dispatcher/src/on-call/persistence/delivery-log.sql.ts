const summary =
  'd.transaction_id as id, d.merchant_id as merchant, d.kind, d.status, d.received_at, v.kind as verdict, v.outcome';
const ofMerchant = '($1::bigint is null or d.merchant_id = $1)';

// Reads each shard from the mark below which every row is resolved, so it reads seconds of traffic, not the whole table.
const openOfShards = `
  select ${summary} from shard l
   cross join lateral (
     select * from delivery d
      where d.shard = l.shard and d.seq >= l.low_seq and not d.stub and ${ofMerchant}
        and not exists (select from verdict v where v.transaction_id = d.transaction_id)
      order by d.seq limit $2) d
    left join verdict v using (transaction_id)`;

/** Statements behind the pages and commands of on-call. */
export const deliveryLogSql = {
  timeline: `
  select d.merchant_id as merchant, d.kind, d.reversible, d.epoch, d.received_at,
         v.kind as verdict, v.attempt as verdict_attempt, v.outcome, v.elapsed_ms, v.armed_at, v.started_at, v.at,
         v.unanswered, v.unanswered_ms
    from delivery d left join verdict v using (transaction_id)
   where d.transaction_id = $1`,

  attempts: `
  select attempt, started_at, outcome, elapsed_ms, unanswered, unanswered_ms
    from attempt where transaction_id = $1 order by attempt`,

  open: `${openOfShards} order by d.seq desc limit $2`,
  oldest: `${openOfShards} order by d.received_at, d.seq limit $2`,

  // One statement: owners and heartbeats of one instant. It locks nothing; a row without a replica holds the shards of nobody.
  shards: `
  select r.id as replica, r.instance, r.heartbeat,
         coalesce(array_agg(s.shard order by s.shard) filter (where s.shard is not null), '{}') as shards
    from shard s full join replica r on r.id = s.owner
   group by r.id, r.instance, r.heartbeat order by r.instance, r.id`,

  // The last rows of every shard; for one merchant, its rows among the last 1,000 of each shard.
  recent: `
  select ${summary} from shard l
   cross join lateral (
     select * from delivery d where d.shard = l.shard and d.seq > 0
      order by d.seq desc limit case when $1::bigint is null then $2 else 1000 end) d
    left join verdict v using (transaction_id)
   where ${ofMerchant}
   order by d.seq desc limit $2`,
} as const;
