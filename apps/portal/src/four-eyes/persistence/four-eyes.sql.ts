const request = `r.request_id as "requestId", r.kind, r.state, r.asked_by as "askedBy", r.asked_by_name as "askedByName", r.asked_at as "askedAt",
  r.expires_at as "expiresAt", r.fingerprint, r.ended_by_name as "endedByName", r.ended_at as "endedAt", r.about`;
const found = `select ${request}, a.role as "askerRole", (a.tenant_type, a.tenant_id) = (r.tenant_type, r.tenant_id) as "isOfTenant",
  clock_timestamp() as now
  from four_eyes_request r join person a on a.person_id = r.asked_by`;

export const fourEyesSql = {
  owners: `
    select person_id as "personId", name, email, created_at as "joinedAt" from person
     where tenant_type = $1 and tenant_id = $2 and role = any($3::text[]) and password_hash is not null order by name limit 50`,
  latest: `${found} where r.kind = $1 and r.tenant_type = $2 and r.tenant_id = $3`,
  // The lock on the request lets one of two steps pass; the one on the asker holds its role until the step is kept.
  lockLatest: `${found} where r.kind = $1 and r.tenant_type = $2 and r.tenant_id = $3 for update of r for share of a`,
  lock: `${found} where r.request_id = $1 and r.tenant_type = $2 and r.tenant_id = $3 for update of r for share of a`,
  joinedAt: `select created_at as "joinedAt" from person where person_id = $1`,
  // The clause on the one that was seen: two who ask at once, where nobody has asked before, make one request.
  put: `
    insert into four_eyes_request as r (kind, tenant_type, tenant_id, asked_by, asked_by_name, fingerprint, about, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, clock_timestamp() + $8 * interval '1 second')
    on conflict (kind, tenant_type, tenant_id) do update
      set request_id = gen_random_uuid(), asked_by = excluded.asked_by, asked_by_name = excluded.asked_by_name, fingerprint = excluded.fingerprint,
          about = excluded.about, asked_at = excluded.asked_at, expires_at = excluded.expires_at, state = 'OPEN', ended_by_name = null, ended_at = null
      where r.request_id = $9::uuid
    returning ${request}`,
  end: `
    update four_eyes_request r set state = $2, ended_by_name = $3, ended_at = clock_timestamp() where request_id = $1 returning ${request}`,
} as const;
