import { principalColumns } from '../../accounts';

export const sessionSql = {
  // Every Bearer request runs it (T-09): it is prepared, and requests that wait together share one.
  find: {
    name: 'select-sessions',
    text: `
      select s.id as session_id, s.credential_version as session_version, s.token_id, s.login_kind, s.started_at, s.expires_at,
        s.revoked_at, ${principalColumns}
      from session s join account a on a.id = s.account_id
      where s.id = any($1::uuid[])`,
  },

  live: `
    select s.id as session_id, s.login_kind, s.started_at, s.expires_at from session s join account a on a.id = s.account_id
    where a.username = $1 and a.mode = 'BEARER' and s.credential_version = a.credential_version
      and s.revoked_at is null and s.expires_at > $2
    order by s.started_at desc, s.id limit $3`,

  // In the following statements $1 is the time and $2 the session. Each changes one row, or none when the session does not meet its
  // condition.

  // Because of the row lock, the second of two renewals sees the token id of the first and matches no row.
  renew: `
    update session set token_id = $4, expires_at = $5, replaced_token_id = token_id, renewed_at = $1
    where id = $2 and token_id = $3 and revoked_at is null and expires_at > $1`,

  end: `
    update session set revoked_at = $1
    where id = $2 and revoked_at is null`,

  endReused: `
    update session set revoked_at = $1
    where id = $2 and revoked_at is null and token_id <> $3
      and not coalesce(replaced_token_id = $3 and renewed_at > $4, false)`,
} as const;
