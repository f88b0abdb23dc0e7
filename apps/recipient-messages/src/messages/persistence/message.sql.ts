/** Statements of the message queue. */
export const messageSql = {
  add: `insert into recipient_message (dedup_key, channel, merchant_id, transaction_id, recipient, notification, change_notice, invitation, four_eyes)
       select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::jsonb[], $8::jsonb[], $9::jsonb[])
       on conflict (dedup_key) do nothing`,

  // Skips locked rows, because another replica is sending them.
  take: `update recipient_message set tries = tries + 1, due_at = clock_timestamp() + $3 * interval '1 millisecond'
       where message_id in (
         select message_id from recipient_message where channel = $1 and state = 'PENDING' and due_at <= statement_timestamp()
         order by due_at limit $2 for update skip locked)
       returning message_id, channel, merchant_id, transaction_id, recipient, notification, change_notice, invitation, four_eyes, tries`,

  // For each channel the first row of its index, however many wait.
  nextDue: `select c.channel, ceil(extract(epoch from next.due_at - clock_timestamp()) * 1000)::float8 as wait_ms
       from unnest($1::text[]) as c(channel) cross join lateral (
         select min(due_at) as due_at from recipient_message m where m.channel = c.channel and state = 'PENDING') next
       where next.due_at is not null`,

  finish: `update recipient_message set state = $2, recipient = '', notification = null, change_notice = null, invitation = null, four_eyes = null, finished_at = clock_timestamp() where message_id = $1`,

  retryAfter: `update recipient_message set due_at = clock_timestamp() + $2 * interval '1 millisecond' where message_id = $1 and state = 'PENDING'`,

  waiting: `select channel, count(*) from recipient_message where state = 'PENDING' group by channel`,

  giveUp: `update recipient_message set state = 'FAILED', recipient = '', notification = null, change_notice = null, invitation = null, four_eyes = null, finished_at = clock_timestamp()
       where message_id in (
         select message_id from recipient_message
         where state = 'PENDING' and created_at < clock_timestamp() - $1 * interval '1 millisecond' limit $2 for update skip locked)`,

  // Keeps finished messages twice as long as an event may be old, so that a repeated event finds its message done.
  remove: `delete from recipient_message where message_id in (
         select message_id from recipient_message
         where state <> 'PENDING' and finished_at < clock_timestamp() - 2 * $1 * interval '1 millisecond' limit $2)`,
} as const;
