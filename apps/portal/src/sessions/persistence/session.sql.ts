const isOpen = (idleS: string) =>
  `s.ended_at is null and s.expires_at > clock_timestamp() and s.seen_at > clock_timestamp() - ${idleS} * interval '1 second'`;

export const sessionSql = {
  open: `
    insert into portal_session (token_hash, person_id, stage, address, user_agent, expires_at)
    values ($1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 second') returning session_id`,
  find: `
    select s.session_id, s.stage, s.address, s.user_agent, s.created_at, s.seen_at,
           p.person_id, p.email, p.name, p.tenant_type, p.tenant_id, p.role, p.totp_sealed is not null as has_totp, p.has_passkey
      from portal_session s join person p using (person_id)
     where s.token_hash = $1 and ${isOpen('$2')}`,
  stillOpen: `select s.session_id from portal_session s where s.session_id = any($1::uuid[]) and ${isOpen('$2')}`,
  // Once a minute at most: reading a page writes nothing.
  seen: `update portal_session set seen_at = clock_timestamp()
          where token_hash = $1 and seen_at < clock_timestamp() - interval '1 minute'`,
  ofPerson: `select session_id, stage, address, user_agent, created_at, seen_at from portal_session s
              where person_id = $1 and ${isOpen('$2')} order by seen_at desc limit 100`,
  end: `update portal_session set ended_at = clock_timestamp() where person_id = $1 and session_id = $2 and ended_at is null`,
  endOthers: `update portal_session set ended_at = clock_timestamp()
               where person_id = $1 and ended_at is null and session_id is distinct from $2::uuid`,
  purge: `delete from portal_session where session_id in (
            select session_id from portal_session where expires_at < clock_timestamp() - interval '1 day' limit 1000)`,
  purgeGuesses: `delete from guess_count where key in (
            select key from guess_count where forget_at < clock_timestamp() limit 1000)`,
} as const;
