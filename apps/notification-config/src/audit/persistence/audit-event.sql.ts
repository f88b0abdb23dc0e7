/** All events of a change in one statement. */
export const insertAuditEventsSql = `
  insert into audit_event (merchant_id, kind, actor, request_id, detail)
  select $1, kind, $2, $3, detail::jsonb from unnest($4::text[], $5::text[]) as event (kind, detail)`;
