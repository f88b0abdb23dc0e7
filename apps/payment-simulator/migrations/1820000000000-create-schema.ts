import { createOutboxTable } from '@paycode/events';
import { FirstMigration } from '@paycode/persistence';
import { createErasureTable } from '@paycode/persistence/erasure';

/** Payment codes, the transactions made with and without them, and what is announced of them. */
export class CreateSchema1820000000000 extends FirstMigration {
  override readonly name = 'CreateSchema1820000000000';
  protected override readonly replaces = 'KeepPayloadsInOutboxRows1805000000000';
  protected override readonly statements = [code, transaction, ...createOutboxTable, lateAnnouncement, ...createErasureTable];
}

const code = `
  create table code (
    code text primary key check (code ~ '^[0-9]{10}$'),
    merchant_id bigint not null,
    merchant_reference text not null check (char_length(merchant_reference) between 1 and 45),
    -- numeric without a scale keeps the digits as received: 110.10 stays 110.10 (A-57).
    amount numeric not null check (amount > 0),
    currency_code text not null,
    expires_at timestamptz,
    use_once boolean not null,
    used_at timestamptz,
    short_description text,
    request_tip boolean not null,
    request_contact boolean not null,
    extra_reference_name text,
    extra_reference_value text,
    created_at timestamptz not null default now(),
    unique (merchant_id, merchant_reference)
  );
  comment on column code.expires_at is 'null: never expires.'`;

const transaction = `
  -- Readable ids that stay exact as JSON numbers (A-57).
  create sequence transaction_id as bigint start 100000001 maxvalue 9007199254740991 cache 1;
  create table transaction (
    transaction_id bigint primary key,
    merchant_id bigint not null,
    kind text not null check (kind in ('PURCHASE', 'REFUND', 'REVERSAL')),
    tx_state text not null,
    reference text not null,
    amount numeric not null,
    currency_code text not null,
    code text check (code ~ '^[0-9]{10}$'),
    reference_transaction_id bigint references transaction (transaction_id),
    completed_at timestamptz not null,
    notification text not null,
    idempotency_key text,
    check ((kind = 'PURCHASE') = (reference_transaction_id is null))
  );
  comment on column transaction.notification is 'TransactionNotificationV3 sealed as compact JWE: nothing personal is readable (T-16).';
  -- A transaction is reversed at most once, whatever number of requests arrive (R-3.1-6, P-I2).
  create unique index transaction_one_reversal on transaction (reference_transaction_id) where kind = 'REVERSAL';
  create index transaction_of_original on transaction (reference_transaction_id) where reference_transaction_id is not null;
  create index transaction_of_code on transaction (code, transaction_id) where code is not null;
  -- A completion may carry a key under which its merchant has one transaction (A-89).
  create unique index transaction_once_per_key on transaction (merchant_id, idempotency_key) where idempotency_key is not null`;

// Events of a payment core that is rehearsed to be slow: durable with their payments, in the outbox when they are due.
const lateAnnouncement = `
  create table late_announcement (
    event_id text primary key,
    due_at timestamptz not null,
    aggregatetype text not null,
    aggregateid text not null,
    type text not null,
    source text not null,
    time text not null,
    traceparent text,
    payload text not null
  );
  create index late_announcement_due on late_announcement (due_at);
  comment on table late_announcement is 'Rows of outbox that wait until due_at: rehearsals of a slow payment core.'`;
