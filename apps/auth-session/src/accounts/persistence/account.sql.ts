/** Columns of `account` under the alias `a`: what a request needs to know of its account. */
export const principalColumns =
  'a.id, a.username, a.type, a.owner_id, a.acquirer, a.mode, a.credential_version, a.source_addresses';

export const accountSql = {
  // Read on every Basic request: prepared, and one for all that wait.
  find: {
    name: 'select-accounts',
    text: `
      select ${principalColumns}, a.password_hash, a.public_key, a.challenge_required, a.created_at, a.password_changed_at
      from account a where a.username = any($1::text[])`,
  },
} as const;
