/** Columns of `account` under the alias `a` that a request needs. */
export const principalColumns =
  'a.id, a.username, a.type, a.owner_id, a.acquirer, a.mode, a.credential_version, a.source_addresses';

export const accountSql = {
  // Every Basic request runs it: it is prepared, and requests that wait together share one.
  find: {
    name: 'select-accounts',
    text: `
      select ${principalColumns}, a.password_hash, a.public_key, a.challenge_required, a.created_at, a.password_changed_at
      from account a where a.username = any($1::text[])`,
  },
} as const;
