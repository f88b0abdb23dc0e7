import { FirstMigration } from '@paycode/persistence';

/** Accounts, signing keys, sessions, challenges, guess counts, security events. */
export class CreateSchema1820000000000 extends FirstMigration {
  override readonly name = 'CreateSchema1820000000000';
  protected override readonly replaces = 'BearerIsForGood1795500000000';
  protected override readonly statements = [
    ...[account, bearerIsForGood, signingKey, session, loginChallenge, guessCount],
    ...[securityEvent, appendOnly, purge, revoke],
  ];
}

const account = `
  create table account (
    id bigint generated always as identity primary key,
    username text not null unique,
    type text not null check (type in ('MANAGER', 'MERCHANT', 'PSP', 'STK', 'ACQUIRER')),
    owner_id bigint,
    acquirer text,
    mode text not null check (mode in ('BASIC', 'BEARER')),
    password_hash text,
    -- Every new password and the switch to Bearer raise it. A session keeps the version under which it was opened, so all
    -- sessions end with the version, also one that is being opened at that moment (A-31).
    credential_version integer not null,
    public_key text,
    challenge_required boolean not null,
    created_at timestamptz not null,
    password_changed_at timestamptz not null,
    -- The addresses from which the account may call (T-15); empty allows all.
    source_addresses text[] not null default '{}',
    check (not challenge_required or public_key is not null)
  )`;

const refuseLeaving = `raise exception 'account %: the switch to Bearer cannot be undone', old.username`;

// The switch cannot be undone (R-5.2-5): not by a mistake of the code, nor by a statement typed into the database.
const bearerIsForGood = `
  create function refuse_leaving_bearer() returns trigger language plpgsql as $$
      begin ${refuseLeaving} using errcode = 'integrity_constraint_violation'; end $$;
  create trigger account_bearer_is_for_good before update of mode on account
    for each row when (old.mode = 'BEARER' and new.mode <> 'BEARER') execute function refuse_leaving_bearer()`;

const signingKey = `
  create table signing_key (
    kid text primary key,
    -- DECOY_SECRET derives a decoy per identity: the ciphertexts of a single decoy key would differ from those of other keys and give the
    -- decoys away (A-37). Nothing makes a DECOY any more.
    use text not null check (use in ('ACCESS', 'IDENTITY', 'CHALLENGE', 'DECOY', 'DECOY_SECRET')),
    -- Compact JWE of the JWK under a key-encryption key, so that nobody can sign with a stolen dump.
    sealed text not null,
    created_at timestamptz not null
  )`;

const session = `
  create table session (
    id uuid primary key,
    account_id bigint not null references account (id),
    credential_version integer not null,
    -- jti of the only valid token; renew replaces it by compare-and-set (A-28).
    token_id uuid not null,
    login_kind text not null check (login_kind in ('PASSWORD', 'CHALLENGE')),
    started_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz,
    -- Which token a renewal replaced, and when: a client may use it again for a moment. Any other replaced token counts as stolen
    -- (ADR 0029).
    replaced_token_id uuid,
    renewed_at timestamptz
  );
  -- For the job that removes ended sessions.
  create index session_expires_at on session (expires_at);
  -- For the list of an account's sessions.
  create index session_account on session (account_id)`;

const loginChallenge = `
  create table login_challenge (
    -- SHA-256 of the encrypted challenge, by which login names it (R-4.1-5).
    challenge_hash bytea primary key,
    -- SHA-256 of the plaintext; the plaintext itself is never stored.
    response_hash bytea not null,
    -- SHA-256 of the identity as sent, because decoys have a row too (A-37).
    identity_hash bytea not null,
    address text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null
  );
  -- For the job that removes expired challenges.
  create index login_challenge_expires_at on login_challenge (expires_at)`;

// One statement counts and refuses tries, also those of challenges (T-02).
const guessCount = `
  create table guess_count (
    -- SHA-256 of scope, identity and address, because a client may send a password as the identity.
    key bytea primary key,
    -- Failures since the last success or quiet time; both columns give the length of the block.
    failures integer not null,
    last_failed_at timestamptz not null,
    -- How many tries the latest statement counted; it refused the others.
    counted integer not null default 1,
    -- From then on the count is void.
    forget_at timestamptz not null default now() + interval '15 minutes'
  );
  -- For the job that removes old counts.
  create index guess_count_forget_at on guess_count (forget_at)`;

const securityEvent = `
  create table security_event (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    kind text not null,
    actor text not null,
    subject text,
    address text,
    request_id text,
    detail text
  );
  create index security_event_subject on security_event (subject, at);
  create index security_event_at on security_event (at)`;

// The trigger protects the log from mistakes of the service too; only rows past their retention of a year may be deleted.
const appendOnly = `
  create function refuse_security_event_change() returns trigger language plpgsql as $$
  begin
    if tg_op = 'DELETE' and old.at < now() - interval '1 year' then return old; end if;
    raise exception 'security_event is append-only';
  end $$;
  create trigger security_event_append_only before update or delete on security_event
    for each row execute function refuse_security_event_change();
  create trigger security_event_no_truncate before truncate on security_event
    for each statement execute function refuse_security_event_change()`;

// Where another role than the service's owns the schema, the service's role can only add to the security log and read it; this function of
// the owner deletes rows past their year. Where one role is both, only the trigger protects the log, and that role could drop it.
const purge = `
  create function purge_security_events(rows_max integer) returns integer
  language plpgsql security definer set search_path from current as $$
  declare removed integer;
  begin
    delete from security_event where ctid = any(array(
      select ctid from security_event where at < now() - interval '367 days' limit rows_max));
    get diagnostics removed = row_count;
    return removed;
  end $$`;

// Default privileges of the owner may have granted more (docs/how-to/deploy-to-kubernetes.md); the owner keeps its own rights.
const revoke = `
  do $$
  declare other record;
  begin
    for other in
      select distinct acl.grantee::regrole as role from pg_class c, aclexplode(c.relacl) acl
      where c.oid = 'security_event'::regclass and acl.grantee <> c.relowner and acl.grantee <> 0
    loop
      execute format('revoke update, delete, truncate, trigger, references on security_event from %s', other.role);
    end loop;
  end $$`;
