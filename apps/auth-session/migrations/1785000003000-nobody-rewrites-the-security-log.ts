import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/**
 * Where another role than the service's owns the schema, the service's role can only add to the security log and read it; a function of the
 * owner deletes rows past their year. Where one role is both, only the trigger protects the log, and that role could drop it.
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
