/**
 * Statements for a service's migration: the table of who erased the payer's data of which transaction, and when. It is
 * append-only.
 */
export const createErasureTable = [
  `create table erasure (
     transaction_id bigint primary key,
     erased_at timestamptz not null default clock_timestamp(),
     actor text not null,
     request_id text not null
   )`,
  `create function refuse_erasure_change() returns trigger language plpgsql as
     $$ begin raise exception 'erasure is append-only' using errcode = 'integrity_constraint_violation'; end $$`,
  `create trigger erasure_append_only before update or delete or truncate on erasure
     for each statement execute function refuse_erasure_change()`,
] as const;
