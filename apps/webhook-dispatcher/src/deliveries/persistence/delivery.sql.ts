import { storedVersion } from '@paycode/dto';
import { joinedPayload } from '@paycode/persistence';

/**
 * Payload version of a delivery's first attempt (R-9-2); null: none is claimed. A row of the claim counts more than the delivery's own: the
 * merchant may have changed its version between the insert and the first request. `d`: the delivery.
 */
export const keptVersion = `
  coalesce((select a.version from attempt a where a.transaction_id = d.transaction_id order by a.attempt limit 1),
           case when d.epoch > 0 then d.version end)`;

// Statements of the delivery store. They lock shards FOR SHARE in the order of their number. A takeover (FOR UPDATE) and these statements
// wait for each other, so a takeover sees every row written before it.
const stored = `
  d.transaction_id as id, d.merchant_id as merchant, d.shard, d.seq, d.reversible, d.payload, ${keptVersion} as version,
  greatest((d.epoch > 0)::int, coalesce((select max(a.attempt) from attempt a where a.transaction_id = d.transaction_id), 0)) as claimed,
  greatest(0, extract(epoch from clock_timestamp() - d.received_at) * 1000) as age_ms`;

const isOpen = 'not exists (select from verdict v where v.transaction_id = d.transaction_id)';

const closeUnknown = (items: string) => `
    with stub as (
      insert into delivery (transaction_id, merchant_id, shard, seq, epoch, kind, status, reversible, stub)
      select id, merchant, shard, 0, 0, 'PURCHASE', 'SUCCESS', true, true
        from ${items} order by id
      on conflict do nothing
      returning transaction_id)
    insert into verdict (transaction_id, kind) select transaction_id, 'CLOSED_NEVER_SENT' from stub on conflict do nothing`;

export const deliverySql = {
  // The insert draws seq after it has locked the shard row. So a sweep can find a horizon below which every seq of the shard
  // is visible.
  insert: `
    with input as (
      select * from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::timestamptz[], $9::int[], $10::int[],
                           $11::boolean[], $12::bigint[], $13::smallint[], $14::text[], $15::bigint[], $16::int[])
        as t(transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, start, length, reversible, epoch, shard, version, "offset", step)),
    held as materialized (
      select shard, owner, epoch, takes_from, takes_until, takes_step from shard where shard in (select shard from input) order by shard for share)
    insert into delivery (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, payload, reversible, shard, version, epoch, seq)
    select i.transaction_id, i.merchant_id, i.kind, i.status, i.reference_transaction_id, i.completed_at, ${joinedPayload('$8', 'i.start', 'i.length')},
           i.reversible, i.shard, coalesce(i.version, '${storedVersion}'),
           case when h.owner = $1 and h.epoch = i.epoch then i.epoch else 0 end, nextval('delivery_seq')
      from input i join held h on h.shard = i.shard and h.takes_step = i.step and i."offset" >= h.takes_from and (i."offset" < h.takes_until or h.takes_until is null)
     order by i.transaction_id
    on conflict do nothing
    returning transaction_id as id, seq, epoch`,

  // A stub counts as the same content: the transaction was closed before its event came.
  known: `
    select d.transaction_id as id, d.epoch, d.version, ${isOpen} as open,
           d.stub or (d.merchant_id, d.kind, d.status, d.reference_transaction_id, d.completed_at)
             = (i.merchant_id, i.kind, i.status, i.reference_transaction_id, i.completed_at) as same
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[])
             as i(transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at)
      join delivery d using (transaction_id)`,

  claimAttempts: `
    with input as (
      select * from unnest($2::bigint[], $3::smallint[], $4::bigint[], $5::smallint[], $6::text[])
        as t(transaction_id, shard, epoch, attempt, version)),
    held as materialized (
      select shard, epoch from shard where owner = $1 and shard in (select shard from input) order by shard for share)
    insert into attempt (transaction_id, attempt, epoch, version)
    select d.transaction_id, d.attempt, d.epoch, d.version from input d join held using (shard, epoch) where ${isOpen} order by 1
    -- A repeat of the same claim, because the answer of the first was lost.
    on conflict (transaction_id, attempt) do update set epoch = excluded.epoch, version = excluded.version where attempt.epoch = excluded.epoch
    returning transaction_id as id`,

  orphaned: `
    select ${stored}
      from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as c(shard, epoch, after_seq)
      join shard l on l.shard = c.shard
     cross join lateral (
       select * from delivery d
        where d.shard = c.shard and d.seq >= greatest(l.low_seq, c.after_seq + 1) and d.epoch between 1 and c.epoch - 1 and not d.stub
          and ${isOpen}
        order by d.seq limit $4) d
     order by d.shard, d.seq`,

  // No delivery of these shards is open: their low-water marks stand above every seq drawn so far. Takes no lock, so that an idle replica costs
  // one short read per sweep.
  idle: "select coalesce(pg_sequence_last_value('delivery_seq'), 0) < min(low_seq) as idle from shard where shard = any($1::smallint[])",

  // Waits until no insert into these shards is running. Then every seq drawn so far is visible, and every later one is
  // higher.
  horizon: `
    with mine as materialized (
      select l.shard from shard l join unnest($2::smallint[], $3::bigint[]) as t(shard, epoch) using (shard, epoch)
       where l.owner = $1 order by l.shard for no key update of l)
    select shards, pg_sequence_last_value('delivery_seq') as seq from (select array_agg(shard) as shards from mine) m`,

  // Stops at the first open row, so it reads each row about once. A limit keeps the statement short. It reads first and then locks, in the
  // order of the shards like all statements.
  advance: `
    with ahead as materialized (
      select l.shard, l.epoch, n.low_seq
        from unnest($2::smallint[], $3::bigint[]) as t(shard, epoch)
        join shard l on l.shard = t.shard and l.epoch = t.epoch and l.owner = $1
       cross join lateral (select least($4::bigint, l.low_seq + 1000000) as seq) upto
       cross join lateral (
         select coalesce(
           (select d.seq from delivery d
             where d.shard = l.shard and d.seq between l.low_seq and upto.seq and ${isOpen} order by d.seq limit 1),
           upto.seq + 1) as low_seq) n
       where l.low_seq < n.low_seq),
    held as materialized (
      select l.shard, a.low_seq from shard l join ahead a using (shard, epoch)
       where l.low_seq < a.low_seq order by l.shard for no key update of l)
    update shard set low_seq = held.low_seq from held where shard.shard = held.shard`,

  unclaimed: `
    select ${stored}
      from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as c(shard, epoch, after_seq)
      join shard l on l.shard = c.shard
     cross join lateral (
       select * from delivery d
        where d.shard = c.shard and d.epoch = 0 and not d.stub and d.seq >= greatest(l.low_seq, c.after_seq + 1) and ${isOpen}
          and d.merchant_id <> all($5::bigint[])
        order by d.seq limit $4) d
     order by d.shard, d.seq`,

  // Uses the partial index (merchant_id, seq), so it never reads rows of other merchants.
  waiting: `
    select ${stored}
      from unnest($2::bigint[], $3::bigint[], $4::int[]) as m(merchant_id, after_seq, max)
     cross join lateral (
       select * from delivery d
        where d.merchant_id = m.merchant_id and d.epoch = 0 and not d.stub and d.seq > m.after_seq and d.shard = any($1::smallint[])
          and ${isOpen}
        order by d.seq limit m.max) d
     order by d.merchant_id, d.seq`,

  now: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms',

  // A running or later insert conflicts with the stub, so no delivery can follow a close.
  closeUnknown: closeUnknown('unnest($1::bigint[], $2::bigint[], $3::smallint[]) as t(id, merchant, shard)'),

  // The lock makes an end of the range wait, as it waits for an insert: after it, this cell begins nothing.
  closeUnknownInRange: closeUnknown(`(
          select t.* from unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::int[]) as t(id, merchant, shard, step)
            join (select shard, takes_until, takes_step from shard where shard = any($3::smallint[]) order by shard for share) held
              on held.shard = t.shard and held.takes_step = t.step and held.takes_until is null) t`),

  verdicts: `
    select d.transaction_id as id, v.kind as verdict
      from delivery d left join verdict v using (transaction_id)
     where d.transaction_id = any($1::bigint[])`,
} as const;
