import { Client } from 'pg';
import {
  authSchemaOwner,
  type DatabaseLogin,
  databaseNames,
  type DatabaseOwner,
  type DatabaseUrls,
  eventLogUsers,
  type EventLogUrls,
  type SchemaOwnerUrls,
} from './database-names';
import { databaseSql as sql } from './database.sql';
import { separateSchemaOwner } from './schema-owner';

const owners = Object.keys(databaseNames) as DatabaseOwner[];
const services = owners.filter(owner => owner !== 'events');
/** `create database` met one made a moment ago by another start on the same server. */
const alreadyThere = new Set(['42P04', '23505']);

/** The database server cannot be used; the message names the cause and the user's setting. */
export class DatabaseServerError extends Error {}

export interface DatabaseServer {
  url: string;
  /**
   * Gives each service a role of its own with this password, so that none can read another's tables. Absent: every service uses the
   * user of `url` (a server that is not ours to make roles on).
   */
  passwordOf?(login: DatabaseLogin): string;
}

export interface EnsuredDatabases {
  urls: DatabaseUrls;
  eventLogUrls: EventLogUrls;
  schemaOwnerUrls: SchemaOwnerUrls;
  /** Whether none of them existed before. */
  areNew: boolean;
}

/** Makes the databases that are missing. */
export async function ensureDatabases(server: DatabaseServer): Promise<EnsuredDatabases> {
  return onServer(server.url, async client => {
    const found = await client.query<{ datname: string }>(sql.databases);
    const existing = new Set(found.rows.map(row => row.datname));
    for (const owner of owners) await ensureDatabase(client, { owner, server, exists: existing.has(databaseNames[owner]) });
    if (server.passwordOf) {
      await shareEventLog(client);
      await separateAuthSchema(server);
    }
    const urls = Object.fromEntries(services.map(owner => [owner, urlOf(server, owner)])) as DatabaseUrls;
    const eventLogUrls = Object.fromEntries(eventLogUsers.map(user => [user, urlOf(server, user, 'events')])) as EventLogUrls;
    return {
      urls,
      eventLogUrls,
      schemaOwnerUrls: schemaOwnerUrlsOf(server),
      areNew: owners.every(owner => !existing.has(databaseNames[owner])),
    };
  });
}

interface Wanted {
  owner: DatabaseOwner;
  server: DatabaseServer;
  exists: boolean;
}

async function ensureDatabase(client: Client, { owner, server, exists }: Wanted): Promise<void> {
  const name = databaseNames[owner];
  const schemaOwner = server.passwordOf && (await ensureRoles(client, owner, server.passwordOf));
  if (exists) return;
  await client.query(sql.createDatabase(name, schemaOwner)).catch((error: { code?: string }) => {
    if (!alreadyThere.has(error.code ?? '')) throw error;
  });
  await client.query(sql.closeDatabase(name));
}

/** Makes the role of a service and the owner of its schema, which are mostly the same. Returns the owner. */
async function ensureRoles(client: Client, owner: DatabaseOwner, passwordOf: (login: DatabaseLogin) => string): Promise<string> {
  const name = databaseNames[owner];
  await ensureRole(client, name, passwordOf(owner));
  if (owner !== 'auth-session') return name;
  await ensureRole(client, authSchemaOwner.role, passwordOf(authSchemaOwner.secret));
  return authSchemaOwner.role;
}

function separateAuthSchema(server: DatabaseServer): Promise<void> {
  const name = databaseNames['auth-session'];
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return onServer(url.href, client =>
    separateSchemaOwner(client, { database: name, owner: authSchemaOwner.role, service: name }),
  );
}

function schemaOwnerUrlsOf({ url, passwordOf }: DatabaseServer): SchemaOwnerUrls {
  if (!passwordOf) return {};
  const owner = new URL(url);
  owner.pathname = `/${databaseNames['auth-session']}`;
  [owner.username, owner.password] = [authSchemaOwner.role, passwordOf(authSchemaOwner.secret)];
  return { 'auth-session': owner.href };
}

/**
 * Makes a role with the name of the database. It sets the password each time, so that a home folder whose secrets were lost
 * works again.
 */
async function ensureRole(client: Client, name: string, password: string): Promise<void> {
  const { rowCount } = await client.query(sql.findRole, [name]);
  const order = rowCount ? 'alter' : 'create';
  await client.query(sql.setRole({ order, name, password: client.escapeLiteral(password) }));
}

/**
 * No service logs in as the owner of the event log. Each logs in with its own name and password and works with the owner's rights, so that
 * all of them own what one creates.
 */
async function shareEventLog(client: Client): Promise<void> {
  const log = databaseNames.events;
  await client.query(sql.forbidLogin(log));
  for (const user of eventLogUsers) {
    await client.query(sql.grantRole(log, databaseNames[user]));
    await client.query(sql.actAs(log, databaseNames[user]));
  }
}

/** Removes the databases with all they hold. */
export async function dropDatabases(url: string): Promise<void> {
  await onServer(url, async client => {
    for (const owner of owners) await client.query(sql.dropDatabase(databaseNames[owner]));
  });
}

function urlOf(server: DatabaseServer, user: DatabaseOwner, database = user): string {
  const url = new URL(server.url);
  url.pathname = `/${databaseNames[database]}`;
  const password = server.passwordOf?.(user);
  if (password !== undefined) [url.username, url.password] = [databaseNames[user], password];
  return url.href;
}

async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 30_000, application_name: 'paycode-standalone' });
  // Without a listener, a broken idle connection would end the process. A running query reports the error itself.
  client.on('error', () => undefined);
  await client.connect().catch((error: Error) => {
    throw new DatabaseServerError(
      `PostgreSQL at ${new URL(url).host} cannot be used: ${error.message || (error as { code?: string }).code}`,
    );
  });
  try {
    return await work(client);
  } catch (cause) {
    throw new DatabaseServerError(`PostgreSQL at ${new URL(url).host}: ${(cause as Error).message}`, { cause });
  } finally {
    await client.end();
  }
}
