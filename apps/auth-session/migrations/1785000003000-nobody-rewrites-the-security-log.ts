import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * Where the schema has an owner apart from the service, the service's role can add to the security log and read it, nothing else; rows past
 * their year go by a function of the owner's. Where one role is both, the trigger alone stands, and that role could take it away.
 */
export class NobodyRewritesTheSecurityLog1785000003000 extends ForwardMigration {
  override readonly name = 'NobodyRewritesTheSecurityLog1785000003000';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(purge);
    await runner.query(revoke);
  }
}

const purge = `
  create function purge_security_events(rows_max integer) returns integer language plpgsql security definer set search_path from current as $$
  declare removed integer;
  begin
    delete from security_event where ctid = any(array(
      select ctid from security_event where at < now() - interval '367 days' limit rows_max));
    get diagnostics removed = row_count;
    return removed;
  end $$`;

// Default privileges of the owner may have given more (docs/how-to/deploy-to-kubernetes.md); the owner keeps what an owner has.
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
