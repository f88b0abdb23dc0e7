export const challengeSql = {
  add: {
    name: 'insert-login-challenge',
    text: `
      insert into login_challenge (challenge_hash, response_hash, identity_hash, address, created_at, expires_at)
      values ($1, $2, $3, $4, $5, $6)`,
  },

  // When two deletes run at once, the second waits for the first and then finds no row.
  take: 'delete from login_challenge where challenge_hash = $1 returning *',
} as const;
