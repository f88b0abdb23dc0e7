import { ForwardMigration } from '@paycode/persistence';

/** Requests of one person that another of the same tenant confirms. */
export class AddFourEyes1794000000000 extends ForwardMigration {
  override readonly name = 'AddFourEyes1794000000000';
  override readonly statements = [
    `create table four_eyes_request (
       request_id uuid primary key default gen_random_uuid(),
       kind text not null check (kind in ('BEARER_SWITCH')),
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
       -- At most one is open; the next takes the place of one that has ended.
       unique (kind, tenant_type, tenant_id),
       check ((state = 'OPEN') = (ended_at is null))
     )`,
    `create index four_eyes_request_asked_by on four_eyes_request (asked_by)`,
    `comment on column four_eyes_request.fingerprint is 'SHA-256 of what was asked about, as it was then.'`,
  ];
}
