import { guessTableStatements } from '@paycode/access/guessing';
import { createDeadLetterTable } from '@paycode/events';
import { FirstMigration } from '@paycode/persistence';

/** People, how they sign in, what they did, what they are told, and the read model of payments. */
export class CreateSchema1820000000000 extends FirstMigration {
  override readonly name = 'CreateSchema1820000000000';
  protected override readonly replaces = 'TellOfCertificates1819000000000';
  protected override readonly statements = [
    ...[person, invitation, recoveryCode, passkey, passkeyChallengeUsed, identityProvider, personIdentity],
    ...[portalSession, knownDevice, ...guessTableStatements],
    ...[auditEvent, fourEyesRequest, ownerRecovery],
    ...[alertChoice, alertReversal, alertOutage, alertMail],
    ...[payment, ...paymentIndexes, ...createDeadLetterTable],
  ];
}

const person = `
  create table person (
    person_id uuid primary key default gen_random_uuid(),
    email text not null,
    name text not null,
    tenant_type text not null check (tenant_type in ('MERCHANT', 'PSP', 'ACQUIRER', 'OPERATOR')),
    -- Merchant or PSP id, name of the acquirer, empty for operators.
    tenant_id text not null,
    role text not null check (role in ('VIEWER', 'DEVELOPER', 'OWNER', 'ON_CALL', 'ADMINISTRATOR')),
    password_hash text,
    totp_sealed text,
    -- Steps up to this one were used: a code is good once.
    totp_step bigint not null default 0,
    created_at timestamptz not null default clock_timestamp(),
    has_passkey boolean not null default false,
    accepted_at timestamptz,
    role_changed_at timestamptz,
    check ((tenant_type = 'OPERATOR') = (role in ('ON_CALL', 'ADMINISTRATOR'))),
    check ((tenant_type = 'OPERATOR') = (tenant_id = ''))
  );
  -- Several tenants may invite one address, of which one lets it in with a password: people sign in by both.
  create unique index person_email on person (lower(email)) where password_hash is not null;
  create unique index person_email_of_tenant on person (lower(email), tenant_type, tenant_id);
  create index person_tenant on person (tenant_type, tenant_id);
  comment on column person.totp_sealed is 'Shared secret of the authenticator app, sealed under KEY_ENCRYPTION_KEYS.';
  comment on column person.has_passkey is 'As the rows of passkey say, in the same transaction.';
  comment on column person.accepted_at
    is 'When the person accepted its invitation, first signed in by its company, or last got a password by a link.';
  comment on column person.role_changed_at is 'When the person last got another role; null: it has the first one.'`;

const invitation = `
  create table invitation (
    invitation_id uuid primary key default gen_random_uuid(),
    token_hash bytea not null unique,
    person_id uuid not null references person on delete cascade,
    expires_at timestamptz not null,
    used_at timestamptz
  )`;

const recoveryCode = `
  create table recovery_code (
    code_hash bytea primary key,
    person_id uuid not null references person on delete cascade,
    used_at timestamptz
  );
  create index recovery_code_person on recovery_code (person_id)`;

const passkey = `
  create table passkey (
    passkey_id uuid primary key default gen_random_uuid(),
    credential_id text not null unique,
    person_id uuid not null references person on delete cascade,
    public_key bytea not null,
    -- As the passkey counts its signatures; 0 when it does not.
    sign_count bigint not null,
    name text not null,
    transports text[] not null,
    created_at timestamptz not null default clock_timestamp(),
    used_at timestamptz
  );
  create index passkey_person on passkey (person_id, created_at)`;

// A challenge is stored only with a right answer to it, because anybody may ask for one.
const passkeyChallengeUsed = `
  create table passkey_challenge_used (
    challenge_hash bytea primary key,
    expires_at timestamptz not null
  );
  comment on table passkey_challenge_used
    is 'A challenge is good once: the first answer to it stands here until the challenge expires.';
  create index passkey_challenge_used_expires on passkey_challenge_used (expires_at)`;

// Providers of OpenID Connect by which people of a tenant sign in.
const identityProvider = `
  create table identity_provider (
    provider_id uuid primary key default gen_random_uuid(),
    -- As people type it on the sign-in page.
    company text not null unique,
    tenant_type text not null check (tenant_type in ('MERCHANT', 'PSP', 'ACQUIRER', 'OPERATOR')),
    tenant_id text not null,
    issuer text not null,
    client_id text not null,
    client_secret_sealed text not null,
    set_at timestamptz not null default clock_timestamp(),
    unique (tenant_type, tenant_id),
    check ((tenant_type = 'OPERATOR') = (tenant_id = ''))
  );
  comment on column identity_provider.client_secret_sealed is 'Sealed under KEY_ENCRYPTION_KEYS.'`;

const personIdentity = `
  create table person_identity (
    provider_id uuid not null references identity_provider on delete cascade,
    -- As the provider names the person, for good; e-mail addresses are given to others.
    subject text not null,
    person_id uuid not null references person on delete cascade,
    linked_at timestamptz not null default clock_timestamp(),
    primary key (provider_id, subject),
    unique (provider_id, person_id)
  );
  create index person_identity_person on person_identity (person_id)`;

const portalSession = `
  create table portal_session (
    session_id uuid primary key default gen_random_uuid(),
    token_hash bytea not null unique,
    person_id uuid not null references person on delete cascade,
    stage text not null check (stage in ('CODE_DUE', 'ENROL_DUE', 'FULL')),
    address text not null,
    user_agent text not null,
    created_at timestamptz not null default clock_timestamp(),
    seen_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    ended_at timestamptz
  );
  create index portal_session_person on portal_session (person_id) where ended_at is null;
  create index portal_session_expires on portal_session (expires_at)`;

// People are mailed when somebody signs in as them from a new device.
const knownDevice = `
  create table known_device (
    person_id uuid not null references person on delete cascade,
    device_hash bytea not null,
    seen_at timestamptz not null,
    primary key (person_id, device_hash)
  );
  comment on table known_device is 'Browsers from which a person has signed in, the latest twenty.'`;

const auditEvent = `
  create table audit_event (
    audit_event_id bigint generated always as identity primary key,
    at timestamptz not null default clock_timestamp(),
    person_id uuid,
    -- Name and tenant as they were then: the row outlives the person.
    person_name text not null,
    action text not null,
    merchant_id bigint,
    address text not null,
    request_id text not null,
    detail jsonb not null default '{}',
    tenant_type text,
    tenant_id text
  );
  create index audit_event_person on audit_event (person_id, audit_event_id);
  create index audit_event_tenant on audit_event (tenant_type, tenant_id, audit_event_id);
  create function refuse_audit_change() returns trigger language plpgsql as $$
     begin raise exception 'audit_event is append-only' using errcode = 'integrity_constraint_violation'; end $$;
  create trigger audit_event_append_only before update or delete or truncate on audit_event
    for each statement execute function refuse_audit_change()`;

// Requests of one person that another of the same tenant confirms.
const fourEyesRequest = `
  create table four_eyes_request (
    request_id uuid primary key default gen_random_uuid(),
    kind text not null check (kind in ('BEARER_SWITCH', 'DEAD_LETTERS')),
    tenant_type text not null check (tenant_type in ('MERCHANT', 'PSP', 'ACQUIRER', 'OPERATOR')),
    tenant_id text not null,
    asked_by uuid not null references person on delete cascade,
    asked_by_name text not null,
    fingerprint text not null,
    asked_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    state text not null default 'OPEN'
      check (state in ('OPEN', 'CONFIRMED', 'WITHDRAWN', 'REFUSED', 'EXPIRED', 'ASKER_LEFT', 'CHANGED')),
    -- null: it is open, or died of itself.
    ended_by_name text,
    ended_at timestamptz,
    -- Of dead letters: the person that confirms must see which.
    about text,
    -- At most one is open; the next takes the place of one that has ended.
    unique (kind, tenant_type, tenant_id),
    check ((state = 'OPEN') = (ended_at is null))
  );
  create index four_eyes_request_asked_by on four_eyes_request (asked_by);
  comment on column four_eyes_request.fingerprint is 'SHA-256 of what was asked about, as it was then.';
  comment on column four_eyes_request.about is 'What was asked about, where the kind and the tenant do not say it.'`;

// Two operators let a new owner into an account whose owners are gone.
const ownerRecovery = `
  create table owner_recovery (
    recovery_id uuid primary key default gen_random_uuid(),
    tenant_type text not null check (tenant_type in ('MERCHANT', 'PSP', 'ACQUIRER')),
    tenant_id text not null,
    email text not null,
    name text not null,
    reason text not null,
    asked_by text not null,
    asked_at timestamptz not null default clock_timestamp(),
    state text not null default 'OPEN' check (state in ('OPEN', 'CONFIRMED', 'WITHDRAWN', 'REFUSED')),
    ended_by text,
    unique (tenant_type, tenant_id),
    check ((state = 'OPEN') = (ended_by is null))
  );
  comment on column owner_recovery.asked_by is 'Subject of the token of the operator.'`;

const alertChoice = `
  create table alert_choice (
    person_id uuid not null references person on delete cascade,
    rule text not null check (rule in ('RECEIVER', 'REVERSED', 'CERTIFICATE')),
    is_on boolean not null,
    primary key (person_id, rule)
  )`;

const alertReversal = `
  create table alert_reversal (
    transaction_id bigint primary key,
    merchant_id bigint not null,
    psp_id bigint,
    requested_at timestamptz not null,
    placed_at timestamptz
  );
  comment on table alert_reversal is 'Reversals that people may still have to be told of.';
  comment on column alert_reversal.placed_at
    is 'When the PSP of the merchant was looked up, by the clock of this database; null: not yet.';
  create index alert_reversal_placed_at on alert_reversal (placed_at)`;

const alertOutage = `
  create table alert_outage (
    merchant_id bigint primary key,
    psp_id bigint,
    since_at timestamptz not null,
    failed_at timestamptz not null,
    placed_at timestamptz not null,
    opened_at timestamptz not null
  );
  comment on table alert_outage is 'Merchants whose servers fail now.'`;

const sealedSecret = 'Of the link that ends such mails, sealed under KEY_ENCRYPTION_KEYS';

const alertMail = `
  create table alert_mail (
    alert_id uuid primary key,
    person_id uuid not null references person on delete cascade,
    kind text not null check (kind in ('RECEIVER_FAILS', 'RECEIVER_WORKS', 'REVERSED', 'NEW_DEVICE', 'CERTIFICATE_ENDS')),
    about jsonb not null,
    token_hash bytea not null unique,
    secret_sealed text,
    created_at timestamptz not null
  );
  comment on column alert_mail.secret_sealed is '${sealedSecret}; null: recipient-messages has it, or it was given up.';
  create index alert_mail_person on alert_mail (person_id, kind, created_at);
  create index alert_mail_waiting on alert_mail (created_at) where secret_sealed is not null;
  create index alert_mail_created_at on alert_mail (created_at)`;

// The read model: events come in any order, and what a payment became follows from those that are here.
const payment = `
  create table payment (
    transaction_id bigint primary key,
    merchant_id bigint not null,
    kind text,
    status text,
    reference_transaction_id bigint,
    completed_at timestamptz,
    -- numeric without a scale: CLF and UYW have four decimals.
    amount numeric,
    currency_code text,
    reference text,
    code text,
    acknowledged_at timestamptz,
    ack_source text,
    ack_elapsed_ms int,
    reversal_requested_at timestamptz,
    reversal_reason text,
    reversed_by bigint,
    -- The answer of the merchant's server, as far as a decision names it: HTTP_200, READ (getNotification), or why the payment was
    -- reversed.
    answer text generated always as (
      coalesce(reversal_reason, case ack_source when 'WEBHOOK' then 'HTTP_200' when 'RECOVERY' then 'READ' end)) stored,
    reversal_failed_by bigint,
    -- A reversal that succeeded counts more than one that failed. Nobody asks for a second one, so after a failure the payment stands
    -- (A-14).
    outcome text generated always as (
      case when kind is distinct from 'PURCHASE' or status is distinct from 'SUCCESS' then 'NO_MONEY'
           when reversed_by is not null then 'REVERSED'
           when reversal_requested_at is not null then case when reversal_failed_by is null then 'REVERSED' else 'SETTLED' end
           when acknowledged_at is not null then 'SETTLED'
           else 'PENDING' end) stored,
    refunded_by bigint,
    tip_amount numeric
  ) with (fillfactor = 70);
  comment on column payment.reversal_failed_by is 'The transaction that said that the core could not give the money back.';
  comment on column payment.refunded_by is 'The first transaction that gave a part of the money back by a refund.';
  comment on column payment.tip_amount is 'The portion of amount that is tip; null: none, or recorded before tips were.'`;

// The order of pages.
const byTime = 'completed_at desc, transaction_id desc';

// A row that only an acknowledgement or a reversal has made so far is not listed.
const indexOf = (name: string, columns: string, more = '') =>
  `create index payment_${name} on payment (${columns}) where completed_at is not null${more}`;

// Each filter of the list has an index that ends in the order of its pages: a page costs what it shows, however many payments there are.
const paymentIndexes = [
  `create index payment_related on payment (reference_transaction_id) where reference_transaction_id > 0`,
  indexOf('outcome', `merchant_id, outcome, ${byTime}`),
  indexOf('status', `merchant_id, status, ${byTime}`),
  indexOf('answer', `merchant_id, answer, ${byTime}`, ' and answer is not null'),
  indexOf('amount', `merchant_id, amount, ${byTime}`),
  // For the newest of all merchants. The condition is true of every payment, and only such a statement has it: to the planner a page of one
  // merchant looks cheap by this index, and reads every other merchant's payments on the way to those of a small one.
  indexOf('at', byTime, ' and transaction_id > 0'),
  // By the same condition: no statement with another filter opens it.
  indexOf('of_merchant', `merchant_id, ${byTime}`, ' and transaction_id > 0'),
  // Without notices: a night of refunds stands between no two lines of a page.
  indexOf('line_at', byTime, ` and kind = 'PURCHASE'`),
  indexOf('line', `merchant_id, ${byTime}`, ` and kind = 'PURCHASE'`),
  // Few among many: payments that stand although their server did not acknowledge them, payments of which a part was refunded, and payments
  // that failed (all notices have the outcome of these).
  indexOf('not_reversed', `merchant_id, ${byTime}`, ' and reversal_failed_by is not null'),
  indexOf('refunded', `merchant_id, ${byTime}`, ' and refunded_by is not null'),
  indexOf('failed', `merchant_id, ${byTime}`, ` and reference_transaction_id = 0 and outcome = 'NO_MONEY'`),
  // text_pattern_ops: by bytes, so that what begins alike stands together whatever the collation of the database is. A merchant may give
  // all of its payments one reference: even these are read in the order of pages, not sorted.
  indexOf('reference', `merchant_id, lower(reference) text_pattern_ops, ${byTime}`),
  indexOf('code', `merchant_id, code text_pattern_ops, ${byTime}`, ' and code is not null'),
  indexOf('id', 'merchant_id, (transaction_id::text) text_pattern_ops'),
];
