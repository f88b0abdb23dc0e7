/** Statements on databases and roles. Names and passwords are quoted and stand in the text, because these statements take no parameters. */
export const databasesSql = {
  findRole: 'select 1 from pg_roles where rolname = $1',
  setRole: ({ order, role, password }: { order: 'create' | 'alter'; role: string; password: string }) =>
    `${order} role ${role} login password ${password}`,
  findDatabase: 'select 1 from pg_database where datname = $1',
  createDatabase: (name: string, role: string) => `create database ${name} owner ${role}`,
} as const;
