import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { ensureFile } from './secrets.ts';

/** Services that own a database. */
export const owners = [
  'auth-session',
  'notification-config',
  'webhook-dispatcher',
  'reversal-scheduler',
  'recipient-messages',
  'payment-simulator',
];

/** A database and a role of its own per service; the service reads its URL from `<folder>/<service>.database-url`. Safe to repeat. */
export async function ensureDatabases(serverUrl: string, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    for (const owner of owners) await ensureDatabase(client, databaseUrl(serverUrl, owner, folder));
  } finally {
    await client.end();
  }
}

function databaseUrl(serverUrl: string, owner: string, folder: string): URL {
  const make = (): string => {
    const url = new URL(serverUrl);
    url.username = url.pathname = `paycode_${owner.replace('-', '_')}`;
    url.password = randomBytes(24).toString('base64url');
    return url.href;
  };
  return new URL(ensureFile(folder, `${owner}.database-url`, make));
}

async function ensureDatabase(client: pg.Client, url: URL): Promise<void> {
  const [role, name] = [url.username, url.pathname.slice(1)].map(text => client.escapeIdentifier(text));
  const found = await client.query('select 1 from pg_roles where rolname = $1', [url.username]);
  const password = client.escapeLiteral(url.password);
  await client.query(`${found.rowCount ? 'alter' : 'create'} role ${role} login password ${password}`);
  const exists = await client.query('select 1 from pg_database where datname = $1', [url.pathname.slice(1)]);
  if (!exists.rowCount) await client.query(`create database ${name} owner ${role}`);
}
