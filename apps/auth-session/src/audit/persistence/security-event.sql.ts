const columns = 'at, kind, actor, subject, address, request_id, detail';

export const securityEventSql = {
  insert: `insert into security_event (${columns}) values ($1, $2, $3, $4, $5, $6, $7)`,

  insertAll: `
    insert into security_event (${columns})
    select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])`,
} as const;
