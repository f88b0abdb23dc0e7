export interface SchemaRoles {
  database: string;
  /** Migrates, and does nothing else. */
  owner: string;
  /** The role as which the service logs in: it has rights on rows only. */
  service: string;
}

/** Statements on databases and roles. The names are constants of the code and stand in the text, because these statements take no parameters. */
export const databaseSql = {
  databases: 'select datname from pg_database',
  createDatabase: (name: string, owner: string | undefined) =>
    `create database ${name} encoding 'UTF8' template template0${owner === undefined ? '' : ` owner ${owner}`}`,
  closeDatabase: (name: string) => `revoke connect, temporary on database ${name} from public`,
  dropDatabase: (name: string) => `drop database if exists ${name} with (force)`,

  findRole: 'select 1 from pg_roles where rolname = $1',
  /** `password` is quoted already. */
  setRole: ({ order, name, password }: { order: 'create' | 'alter'; name: string; password: string }) =>
    `${order} role ${name} login password ${password}`,
  forbidLogin: (log: string) => `alter role ${log} nologin password null`,
  grantRole: (log: string, user: string) => `grant ${log} to ${user}`,
  actAs: (log: string, user: string) => `alter role ${user} in database ${log} set role ${log}`,

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
