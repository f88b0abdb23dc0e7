const columns = `passkey_id as "passkeyId", credential_id as "credentialId", person_id as "personId", public_key as "publicKey",
  sign_count::float8 as "signCount", name, transports`;

export const passkeySql = {
  ofPerson: `
    select passkey_id as "passkeyId", name, created_at as "createdAt", used_at as "usedAt"
      from passkey where person_id = $1 order by created_at, passkey_id limit 100`,
  credentialsOf: `select credential_id as "credentialId", transports from passkey where person_id = $1 order by created_at limit 100`,
  byCredential: `select ${columns} from passkey where credential_id = $1`,
  // Whoever changes a person's passkeys holds this lock: the most a person may have, and has_passkey, are right afterwards.
  lockPerson: `select person_id from person where person_id = $1 for update`,
  count: `select count(*)::int as count from passkey where person_id = $1`,
  answer: `insert into passkey_challenge_used (challenge_hash, expires_at) values ($1, $2) on conflict do nothing returning 1`,
  add: `
    insert into passkey (credential_id, person_id, public_key, sign_count, name, transports)
    values ($1, $2, $3, $4, $5, $6) on conflict (credential_id) do nothing returning 1`,
  use: `update passkey set used_at = clock_timestamp(), sign_count = $2 where passkey_id = $1`,
  remove: `delete from passkey where person_id = $1 and passkey_id = $2`,
  tellPerson: `update person set has_passkey = exists (select from passkey where person_id = $1) where person_id = $1`,
  // No codes yet: the first of app and passkeys brings them.
  addCodes: `
    insert into recovery_code (code_hash, person_id)
    select unnest($2::bytea[]), $1 where not exists (select from recovery_code where person_id = $1)
    returning 1`,
  dropCodes: `
    delete from recovery_code r using person p
     where r.person_id = $1 and p.person_id = $1 and p.totp_sealed is null and not p.has_passkey`,
  purge: `delete from passkey_challenge_used where challenge_hash in (
            select challenge_hash from passkey_challenge_used where expires_at < clock_timestamp() limit 1000)`,
} as const;
