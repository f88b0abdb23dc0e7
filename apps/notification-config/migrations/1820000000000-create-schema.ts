import { FirstMigration } from '@paycode/persistence';

/** Merchants with their URLs, keys and recipients; what is told of a change; the log of changes; the limits of probes. */
export class CreateSchema1820000000000 extends FirstMigration {
  override readonly name = 'CreateSchema1820000000000';
  protected override readonly replaces = 'ListMerchantsByName1815000000000';
  protected override readonly statements = [
    ...[merchant, httpNotification, recipient, auditEvent, probeBucket, probeInFlight],
    ...[changeNotice, ownerNotice],
  ];
}

const byName = '(lower(merchant_name) collate "C"), merchant_id';

const merchant = `
  create table merchant (
    merchant_id bigint primary key check (merchant_id between 1 and 9007199254740991),
    merchant_name text not null,
    psp_id bigint,
    acquirer text not null,
    status text not null check (status in ('ACTIVE', 'SUSPENDED')),
    encryption text not null default 'AES-128-GCM' check (encryption in ('AES-128-GCM', 'AES-128-CBC-LEGACY')),
    created_at timestamptz not null default clock_timestamp(),
    changed_at timestamptz not null default clock_timestamp()
  );
  -- People of a PSP, an acquirer and the platform look for merchants by how a name begins, and the portal reads the ids of all of an owner.
  create index merchant_name on merchant (${byName});
  create index merchant_psp_name on merchant (psp_id, ${byName});
  create index merchant_acquirer_name on merchant (acquirer, ${byName})`;

// One row per merchant: the key is in the row of the URL and is deleted with it.
const httpNotification = `
  create table http_notification (
    merchant_id bigint primary key references merchant,
    url text not null check (char_length(url) <= 2048),
    version text not null,
    key_id text not null,
    sealed_key text not null,
    changed_at timestamptz not null default clock_timestamp(),
    -- A merchant's server may demand a credential of each request. It stands in the row of its URL, so that it goes with the URL.
    sealed_credential text,
    has_client_certificate boolean not null default false,
    opened_at timestamptz
  )`;

const recipient = `
  create table recipient (
    merchant_id bigint not null references merchant,
    type text not null check (type in ('EMAIL', 'SMS')),
    value text not null,
    position bigint generated always as identity,
    added_at timestamptz not null default clock_timestamp(),
    primary key (merchant_id, type, value)
  )`;

// Records each change of a merchant with its author. The trigger refuses to change or remove a row.
const auditEvent = `
  create table audit_event (
    audit_event_id bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    merchant_id bigint not null,
    kind text not null,
    actor text not null,
    request_id text not null,
    detail jsonb not null default '{}'
  );
  create index audit_event_of_merchant on audit_event (merchant_id, audit_event_id);
  create function refuse_audit_change() returns trigger language plpgsql as $$
      begin
        raise exception 'audit_event is append-only';
      end $$;
  create trigger audit_event_append_only before update or delete or truncate on audit_event
    for each statement execute function refuse_audit_change()`;

// Token buckets and the one probe in flight per merchant (T-28), shared by all replicas.
const probeBucket = `
  create table probe_bucket (
    bucket text primary key,
    tokens double precision not null,
    refilled_at timestamptz not null
  );
  create index probe_bucket_age on probe_bucket (refilled_at)`;

const probeInFlight = `
  create table probe_in_flight (
    merchant_id bigint primary key,
    probe_id uuid not null,
    expires_at timestamptz not null
  )`;

// E-mails about a change (T-15): stored in its transaction, handed over after it.
const changeNotice = `
  create table change_notice (
    notice_id uuid primary key default gen_random_uuid(),
    merchant_id bigint not null references merchant,
    kind text not null,
    emails text[] not null,
    actor text not null,
    occurred_at timestamptz not null default clock_timestamp(),
    tries int not null default 0,
    due_at timestamptz not null default clock_timestamp()
  );
  create index change_notice_due on change_notice (due_at)`;

// Changes that the owners of merchant and PSP are told of: the portal fetches them, because it knows the owners.
const ownerNotice = `
  create table owner_notice (
    notice_id uuid primary key default gen_random_uuid(),
    merchant_id bigint not null references merchant,
    kind text not null,
    actor text not null,
    occurred_at timestamptz not null default clock_timestamp(),
    due_at timestamptz not null default clock_timestamp()
  );
  create index owner_notice_due on owner_notice (due_at)`;
