/** One snapshot for the whole batch. It must run on the primary, where a committed change is visible at once (route lease). */
export const routesSql = `
  select asked.merchant_id, http.url, http.version, merchant.encryption, http.sealed_key, http.key_id, merchant.psp_id,
         recipients.by_channel as recipients
  from unnest($1::bigint[]) as asked (merchant_id)
  left join merchant using (merchant_id)
  left join http_notification http using (merchant_id)
  left join lateral (
    select json_object_agg(type, list) as by_channel from (
      select type, json_agg(value order by position) as list
      from recipient where recipient.merchant_id = asked.merchant_id group by type
    ) of_channel
  ) recipients on true`;
