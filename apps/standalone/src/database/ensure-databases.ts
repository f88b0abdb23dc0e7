import { Client } from 'pg';

/** The database of each service that owns one, and the database of the PostgreSQL event log. */
export const databaseNames = {
  'auth-session': 'paycode_auth_session',
  'notification-config': 'paycode_notification_config',
  'webhook-dispatcher': 'paycode_webhook_dispatcher',
  'reversal-scheduler': 'paycode_reversal_scheduler',
  'recipient-messages': 'paycode_recipient_messages',
  'payment-simulator': 'paycode_payment_simulator',
  portal: 'paycode_portal',
  events: 'paycode_events',
} as const;

export type DatabaseOwner = keyof typeof databaseNames;

/**
 * Role that owns the schema of auth-session: so the service can add to the security log and not rewrite it. The other services own
 * their schemas.
 */
export const authSchemaOwner = { secret: 'auth-session-owner', role: 'paycode_auth_session_owner' } as const;

/** Logins with their own password. */
export type DatabaseLogin = DatabaseOwner | typeof authSchemaOwner.secret;

/** The services that publish or consume events. */
export const eventLogUsers = [
  'webhook-dispatcher',
  'reversal-scheduler',
  'recipient-messages',
  'payment-simulator',
  'portal',
] as const;

/** URL of each service's own database. */
export type DatabaseUrls = Record<Exclude<DatabaseOwner, 'events'>, string>;

/** URL for the migrations of a service whose own role owns no table. */
export type SchemaOwnerUrls = { 'auth-session'?: string };

/** URL of the portal's database for the login of auth-session, which reads who is signed in there. */
export type PortalReaderUrls = { 'auth-session': string };

/** URL of the event log for each service that uses it: one database, a login of each service's own. */
export type EventLogUrls = Record<(typeof eventLogUsers)[number], string>;

interface SchemaRoles {
  database: string;
  /** Migrates, and does nothing else. */
  owner: string;
  /** The role as which the service logs in: it has rights on rows only. */
  service: string;
}

/** Statements on databases and roles. The names are constants of the code and stand in the text, because these statements take no parameters. */
const databaseSql = {
  databases: 'select datname from pg_database',
  createDatabase: (name: string, owner: string | undefined) =>
    `create database ${name} encoding 'UTF8' template template0${owner === undefined ? '' : ` owner ${owner}`}`,
  closeDatabase: (name: string) => `revoke connect, temporary on database ${name} from public`,
  dropDatabase: (name: string) => `drop database if exists ${name} with (force)`,

  findRole: 'select 1 from pg_roles where rolname = $1',
  /** `password` is quoted already. */
  setRole: ({ order, name, password }: { order: 'create' | 'alter'; name: string; password: string }) =>
    `${order} role ${name} login password ${password}`,
  /** Of an older release, in which each service worked with the rights of the log's owner. */
  endActingAs: (log: string, user: string) => `revoke ${log} from ${user}; alter role ${user} in database ${log} reset role`,

  isOwnedBy: 'select 1 from pg_database where datname = $1 and datdba = $2::regrole',
  grantRows: ({ database, owner, service }: SchemaRoles) => `
    grant connect on database ${database} to ${service};
    alter default privileges for role ${owner} grant select, insert, update, delete on tables to ${service};
    alter default privileges for role ${owner} grant usage on sequences to ${service}`,
  handOver: ({ owner, service }: SchemaRoles) => `
    reassign owned by ${service} to ${owner};
    grant select, insert, update, delete on all tables in schema public to ${service};
    grant usage on all sequences in schema public to ${service};
    do $$ begin
      -- Missing if the very first start was interrupted.
      if to_regclass('security_event') is not null then
        revoke update, delete, truncate, trigger, references on security_event from ${service};
      end if;
    end $$`,
} as const;

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
  /** URL of the event log for its owner. Absent: every service is. */
  eventLogOwnerUrl?: string | undefined;
  schemaOwnerUrls: SchemaOwnerUrls;
  portalReaderUrls: PortalReaderUrls;
  /** Whether none of them existed before. */
  areNew: boolean;
}

/** Makes the databases that are missing. */
export async function ensureDatabases(server: DatabaseServer): Promise<EnsuredDatabases> {
  return onServer(server.url, async client => {
    const found = await client.query<{ datname: string }>(databaseSql.databases);
    const existing = new Set(found.rows.map(row => row.datname));
    for (const owner of owners) await ensureDatabase(client, { owner, server, exists: existing.has(databaseNames[owner]) });
    if (server.passwordOf) {
      // Each service logs in to the event log with its own name and password, and owns nothing there. The owner's login migrates the log and
      // grants the others the right to connect, and what each may write and read (`libs/events`, log-owner.ts); reversal-scheduler does so at
      // its start.
      for (const user of eventLogUsers) await client.query(databaseSql.endActingAs(databaseNames.events, databaseNames[user]));
      await separateAuthSchema(server);
    }
    const urls = Object.fromEntries(services.map(owner => [owner, urlOf(server, owner)])) as DatabaseUrls;
    const eventLogUrls = Object.fromEntries(eventLogUsers.map(user => [user, urlOf(server, user, 'events')])) as EventLogUrls;
    return {
      urls,
      eventLogUrls,
      eventLogOwnerUrl: server.passwordOf && urlOf(server, 'events'),
      schemaOwnerUrls: schemaOwnerUrlsOf(server),
      portalReaderUrls: { 'auth-session': urlOf(server, 'auth-session', 'portal') },
      areNew: owners.every(owner => !existing.has(databaseNames[owner])),
    };
  });
}

async function ensureDatabase(
  client: Client,
  { owner, server, exists }: { owner: DatabaseOwner; server: DatabaseServer; exists: boolean },
): Promise<void> {
  const name = databaseNames[owner];
  const schemaOwner = server.passwordOf && (await ensureRoles(client, owner, server.passwordOf));
  if (exists) return;
  await client.query(databaseSql.createDatabase(name, schemaOwner)).catch((error: { code?: string }) => {
    if (!alreadyThere.has(error.code ?? '')) throw error;
  });
  await client.query(databaseSql.closeDatabase(name));
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

/** Makes a role with the name of the database. It sets the password each time, so that a home folder whose secrets were lost works again. */
async function ensureRole(client: Client, name: string, password: string): Promise<void> {
  const { rowCount } = await client.query(databaseSql.findRole, [name]);
  const order = rowCount ? 'alter' : 'create';
  await client.query(databaseSql.setRole({ order, name, password: client.escapeLiteral(password) }));
}

/** Removes the databases with all they hold. */
export async function dropDatabases(url: string): Promise<void> {
  await onServer(url, async client => {
    for (const owner of owners) await client.query(databaseSql.dropDatabase(databaseNames[owner]));
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

/**
 * Separates the owner of a schema from the role of its service, as the guide for Kubernetes does: the service has only the rights that it
 * is granted. An older database, which belongs to the service's role, gets the new owner. `client` is connected to that database.
 */
async function separateSchemaOwner(client: Client, roles: SchemaRoles): Promise<void> {
  const { database, service } = roles;
  const { rowCount } = await client.query(databaseSql.isOwnedBy, [database, service]);
  // In one transaction, so that an interrupted start changes nothing; with the rights that new tables get by default.
  if (rowCount) await client.query(databaseSql.handOver(roles));
  // This runs after the change of owner, because a role loses the rights on its own objects with their ownership.
  await client.query(databaseSql.grantRows(roles));
}
