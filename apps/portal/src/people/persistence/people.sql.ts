export const peopleSql = {
  // The step only grows: the row lock lets one of two requests with the same code pass.
  useStep: 'update person set totp_step = $2 where person_id = $1 and totp_step < $2',
  useRecoveryCode: `update recovery_code set used_at = clock_timestamp() where code_hash = $2 and person_id = $1 and used_at is null`,
  invite: 'insert into invitation (token_hash, person_id, expires_at) values ($2, $1, $3) returning invitation_id',
  accept: `
    with used as (
      update invitation set used_at = clock_timestamp()
       where token_hash = $1 and used_at is null and expires_at > clock_timestamp() returning person_id)
    update person p set password_hash = $2 from used where p.person_id = used.person_id returning p.person_id`,
} as const;
