import type { Client } from 'pg';

export interface SchemaRoles {
  database: string;
  /** Migrates, and does nothing else. */
  owner: string;
  /** What the service logs in as: rights on rows only. */
  service: string;
}

/**
 * Parts the owner of a schema from the role of its service, as the guide for Kubernetes does: what the service can do with its tables is what it is
 * granted. A database of before, all of which belongs to the service's role, is handed over. `client` is connected to that database.
 */
export async function separateSchemaOwner(client: Client, roles: SchemaRoles): Promise<void> {
  const { database, owner, service } = roles;
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1 and datdba = $2::regrole', [
    database,
    service,
  ]);
  if (rowCount) await handOver(client, roles);
  const forOwner = `alter default privileges for role ${owner}`;
  // After the hand-over: what a role was granted on what it owns goes with the ownership.
  await client.query(`
    grant connect on database ${database} to ${service};
    ${forOwner} grant select, insert, update, delete, truncate on tables to ${service};
    ${forOwner} grant usage on sequences to ${service}`);
}

/** In one transaction: a start that is cut off leaves the database as it was. What new tables get by default, these get here. */
async function handOver(client: Client, { owner, service }: SchemaRoles): Promise<void> {
  await client.query(`
    reassign owned by ${service} to ${owner};
    grant select, insert, update, delete, truncate on all tables in schema public to ${service};
    grant usage on all sequences in schema public to ${service};
    do $$ begin
      -- Missing where the first start of all was cut off.
      if to_regclass('security_event') is not null then
        revoke update, delete, truncate, trigger, references on security_event from ${service};
      end if;
    end $$`);
}
