import type { Client } from 'pg';
import { databaseSql as sql, type SchemaRoles } from './database.sql';

/**
 * Separates the owner of a schema from the role of its service, as the guide for Kubernetes does: the service has only the rights that it
 * is granted. An older database, which belongs to the service's role, gets the new owner. `client` is connected to that database.
 */
export async function separateSchemaOwner(client: Client, roles: SchemaRoles): Promise<void> {
  const { database, service } = roles;
  const { rowCount } = await client.query(sql.isOwnedBy, [database, service]);
  if (rowCount) await handOver(client, roles);
  // This runs after the change of owner, because a role loses the rights on its own objects with their ownership.
  await client.query(sql.grantRows(roles));
}

/**
 * Changes the owner in one transaction, so that an interrupted start changes nothing. It grants the rights that new tables get
 * by default.
 */
async function handOver(client: Client, roles: SchemaRoles): Promise<void> {
  await client.query(sql.handOver(roles));
}
