import { Client } from 'pg';
import { databaseNames, type DatabaseOwner, type DatabaseUrls } from './database-names';

const owners = Object.keys(databaseNames) as DatabaseOwner[];
/** `create database` met one made a moment ago by another start on the same server. */
const alreadyThere = new Set(['42P04', '23505']);

/** The database server cannot be used; the message says why in words of the user's own settings. */
export class DatabaseServerError extends Error {}

export interface DatabaseServer {
  url: string;
  /**
   * Gives each service a role of its own with this password, so that none can read another's tables. Absent: every service uses the
   * user of `url` (a server that is not ours to make roles on).
   */
  passwordOf?(owner: DatabaseOwner): string;
}

export interface EnsuredDatabases {
  urls: DatabaseUrls;
  /** None of them was there before. */
  areNew: boolean;
}

/** Makes the databases that are missing. */
export async function ensureDatabases(server: DatabaseServer): Promise<EnsuredDatabases> {
  return onServer(server.url, async client => {
    const found = await client.query<{ datname: string }>('select datname from pg_database');
    const existing = new Set(found.rows.map(row => row.datname));
    for (const owner of owners) await ensureDatabase(client, { owner, server, exists: existing.has(databaseNames[owner]) });
    const urls = Object.fromEntries(owners.map(owner => [owner, urlOf(server, owner)])) as DatabaseUrls;
    return { urls, areNew: owners.every(owner => !existing.has(databaseNames[owner])) };
  });
}

interface Wanted {
  owner: DatabaseOwner;
  server: DatabaseServer;
  exists: boolean;
}

async function ensureDatabase(client: Client, { owner, server, exists }: Wanted): Promise<void> {
  const name = databaseNames[owner];
  const password = server.passwordOf?.(owner);
  if (password !== undefined) await ensureRole(client, name, password);
  if (exists) return;
  await client
    .query(`create database ${name} encoding 'UTF8' template template0${password === undefined ? '' : ` owner ${name}`}`)
    .catch((error: { code?: string }) => {
      if (!alreadyThere.has(error.code ?? '')) throw error;
    });
  await client.query(`revoke connect, temporary on database ${name} from public`);
}

/** The role carries the database's name. Its password is set each time: a home folder whose secrets were lost works again. */
async function ensureRole(client: Client, name: string, password: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [name]);
  const order = rowCount ? 'alter' : 'create';
  await client.query(`${order} role ${name} login password ${client.escapeLiteral(password)}`);
}

/** Removes the databases with all they hold. */
export async function dropDatabases(url: string): Promise<void> {
  await onServer(url, async client => {
    for (const owner of owners) await client.query(`drop database if exists ${databaseNames[owner]} with (force)`);
  });
}

function urlOf(server: DatabaseServer, owner: DatabaseOwner): string {
  const url = new URL(server.url);
  url.pathname = `/${databaseNames[owner]}`;
  const password = server.passwordOf?.(owner);
  if (password !== undefined) [url.username, url.password] = [databaseNames[owner], password];
  return url.href;
}

async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: 'paycode-standalone' });
  // Without a listener a connection that breaks while idle would end the process; the query in progress reports it.
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
