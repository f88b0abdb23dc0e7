import { owners } from '../compose/databases.ts';

/** Statements on an empty server. Names and passwords are made by this tool, of letters, digits, `_` and `-`. */
const sql = {
  role: (name: string, password: string) => `create role ${name} login password '${password}';`,
  database: (name: string) => `create database ${name} owner ${name};`,
  close: (name: string) => `revoke all on database ${name} from public;`,
} as const;

const server = 'postgres:5432';
const authority = '/etc/paycode/postgres/ca.crt';
export const eventLog = 'events';

/** Owners of a database each: the services, and the event log that they share. */
export const databaseOwners = [...owners, eventLog];

/** A role and a database of its own for each owner; the image of PostgreSQL runs it once, on an empty volume. */
export function rolesSql(passwords: Readonly<Record<string, string>>): string {
  const statements = databaseOwners.flatMap(owner => {
    const name = databaseOf(owner);
    return [sql.role(name, passwords[owner]!), sql.database(name), sql.close(name)];
  });
  return `${statements.join('\n')}\n`;
}

/** The URL of a service's database. The service adds the authority of the server's certificate by DATABASE_CA_FILE. */
export function databaseUrl(owner: string, password: string): string {
  const name = databaseOf(owner);
  return `postgres://${name}:${password}@${server}/${name}?sslmode=verify-full`;
}

/**
 * The URL of the event log for one of its users: a service, or `eventLog`, which owns it, migrates it and grants each service its rights. The log has
 * no setting for the authority, so the URL names the file.
 */
export function eventLogUrl(user: string, password: string): string {
  const url = new URL(databaseUrl(user, password));
  url.pathname = databaseOf(eventLog);
  return `${url.href}&sslrootcert=${encodeURIComponent(authority)}`;
}

function databaseOf(owner: string): string {
  return `paycode_${owner.replaceAll('-', '_')}`;
}
