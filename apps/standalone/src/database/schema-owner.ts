import type { Client } from 'pg';
import { databaseSql as sql, type SchemaRoles } from './database.sql';

/**
 * Parts the owner of a schema from the role of its service, as the guide for Kubernetes does: what the service can do with its tables is what it is
 * granted. A database of before, all of which belongs to the service's role, is handed over. `client` is connected to that database.
 */
export async function separateSchemaOwner(client: Client, roles: SchemaRoles): Promise<void> {
  const { database, service } = roles;
  const { rowCount } = await client.query(sql.isOwnedBy, [database, service]);
  if (rowCount) await handOver(client, roles);
  // After the hand-over: what a role was granted on what it owns goes with the ownership.
  await client.query(sql.grantRows(roles));
}

/** In one transaction: a start that is cut off leaves the database as it was. What new tables get by default, these get here. */
async function handOver(client: Client, roles: SchemaRoles): Promise<void> {
  await client.query(sql.handOver(roles));
}
