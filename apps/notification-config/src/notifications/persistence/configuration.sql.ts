/** Longer than any lease plus any wait for a commit. */
const freshFor = "interval '60 seconds'";

export const configurationSql = {
  // Serialises changes of one merchant. It locks first and reads afterwards, because a statement that waits for the lock would read the
  // other tables as they were before the wait.
  lock: 'select 1 from merchant where merchant_id = $1 for update',

  // One snapshot of three tables. The query does not find a merchant of another owner (T-24).
  read: `
    select merchant.merchant_id, merchant.status, http.url, http.version, http.key_id, http.sealed_key,
           http.changed_at > clock_timestamp() - ${freshFor} as is_http_fresh,
           coalesce((select jsonb_agg(jsonb_build_object('type', type, 'value', value) order by position)
                     from recipient where recipient.merchant_id = merchant.merchant_id), '[]') as recipients
    from merchant left join http_notification http using (merchant_id)
    where merchant.merchant_id = $1 and ($2 or merchant.psp_id = $3 or merchant.acquirer = $4)`,

  addNotice: `
    insert into change_notice (merchant_id, kind, emails, actor)
    select $1, $2, array_agg(value order by position), $3 from recipient where merchant_id = $1 and type = 'EMAIL'
    having count(*) > 0`,
} as const;
