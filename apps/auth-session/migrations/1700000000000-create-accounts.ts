import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** Accounts, signing keys, sessions, challenges, guess counts, security events. */
export class CreateAccounts1700000000000 extends ForwardMigration {
  override readonly name = 'CreateAccounts1700000000000';

  override async up(runner: QueryRunner): Promise<void> {
    for (const statement of [account, signingKey, session, loginChallenge, guessCount, securityEvent, appendOnly])
      await runner.query(statement);
  }
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
    check (not challenge_required or public_key is not null)
  )`;

const signingKey = `
  create table signing_key (
    kid text primary key,
    use text not null check (use in ('ACCESS', 'IDENTITY', 'CHALLENGE', 'DECOY')),
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
    revoked_at timestamptz
  );
  -- For the job that removes ended sessions.
  create index session_expires_at on session (expires_at)`;

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
  -- For the per-address limit (T-02).
  create index login_challenge_address on login_challenge (address, created_at);
  -- For the job that removes expired challenges.
  create index login_challenge_expires_at on login_challenge (expires_at)`;

const guessCount = `
  create table guess_count (
    -- SHA-256 of scope, identity and address, because a client may send a password as the identity.
    key bytea primary key,
    -- Failures since the last success or quiet time; both columns give the length of the block.
    failures integer not null,
    last_failed_at timestamptz not null
  );
  -- For the job that removes old counts.
  create index guess_count_last_failed_at on guess_count (last_failed_at)`;

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
