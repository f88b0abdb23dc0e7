/** Statements on an empty server. Names and passwords are made by this tool, of letters, digits, `_` and `-`. */
export const databasesSql = {
  role: (name: string, password: string) => `create role ${name} login password '${password}';`,
  database: (name: string) => `create database ${name} owner ${name};`,
  close: (name: string) => `revoke all on database ${name} from public;`,
} as const;
