/** Statements for a service's migration: the dead letters of its own consumer groups, kept for whoever gives them to their group again. */
export const createDeadLetterTable = [
  `create table dead_letter (
     letter_id bigint generated always as identity primary key,
     topic text not null,
     group_name text not null,
     -- CloudEvents id, else where the record stands.
     event_key text not null,
     place text not null,
     reason text not null,
     times int not null default 1,
     first_parked_at timestamptz not null default clock_timestamp(),
     parked_at timestamptz not null default clock_timestamp(),
     record bytea not null,
     unique (topic, group_name, event_key)
   )`,
  `create index dead_letter_parked_at on dead_letter (parked_at)`,
  `comment on column dead_letter.record is 'As it was received: key, value and headers, the notification sealed.'`,
] as const;

const columns = `letter_id as "letterId", topic, group_name as "group", reason, times, first_parked_at as "firstParkedAt",
  parked_at as "parkedAt", place, record`;

/** Statements of the dead letters of one service. */
export const deadLetterSql = {
  // A batch that comes again parks the same record again: its place tells it from one that was published again. An event that stands in the
  // batch more than once is one letter, the last one, because an insert may not change a row twice. When the table is full, the letter stands
  // in its topic alone.
  keep: `
    insert into dead_letter as d (topic, group_name, event_key, place, reason, record, times)
    select topic, group_name, event_key, place, reason, record, times
      from (
        select e.*, count(*) over event as times, row_number() over (event order by e.ordinal desc) as latest
          from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[]) with ordinality
            as e(topic, group_name, event_key, place, reason, record, ordinal)
        window event as (partition by e.topic, e.group_name, e.event_key)
      ) letter
     where latest = 1 and (select count(*) from (select 1 from dead_letter limit $7) kept) < $7
    on conflict (topic, group_name, event_key) do update
      set reason = excluded.reason, record = excluded.record, place = excluded.place, parked_at = clock_timestamp(),
          times = d.times + case when d.place <> excluded.place then excluded.times else 0 end`,

  list: `select ${columns} from dead_letter where letter_id < $1 order by letter_id desc limit $2`,
  find: `select ${columns} from dead_letter where letter_id = any($1::bigint[]) order by letter_id`,
  refused: `update dead_letter set reason = $2, times = times + 1, parked_at = clock_timestamp() where letter_id = $1`,
  handled: `delete from dead_letter where letter_id = $1`,

  purge: `
    delete from dead_letter where letter_id in
      (select letter_id from dead_letter where parked_at < clock_timestamp() - $1::float8 * interval '1 millisecond' order by parked_at limit $2)`,
} as const;
