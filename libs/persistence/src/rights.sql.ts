export interface Relation {
  name: string;
  isInsertOnly: boolean;
  isSequence: boolean;
}

const own = `relnamespace = current_schema()::regnamespace and pg_get_userbyid(relowner) = current_user`;

function rightsOn({ name, isInsertOnly, isSequence }: Relation): string {
  if (isSequence) return `usage on sequence ${name}`;
  return `${isInsertOnly ? 'select, insert' : 'select, insert, update, delete'} on table ${name}`;
}

/** Statements that grant a role its rights. PostgreSQL has quoted the names, which stand in the text because these statements take no parameters. */
export const rightsSql = {
  relations: `
  select quote_ident(relname) as name, relname = any($1) as "isInsertOnly", relkind = 'S' as "isSequence"
    from pg_class where ${own} and relkind in ('r', 'p', 'S') order by relname`,
  places: 'select quote_ident(current_database()) as database, quote_ident(current_schema()) as schema, quote_ident($1) as role',

  connect: (database: string, role: string) => `grant connect on database ${database} to ${role}`,
  useSchema: (schema: string, role: string) => `grant usage on schema ${schema} to ${role}`,
  useRelation: (relation: Relation, role: string) => `grant ${rightsOn(relation)} to ${role}`,
} as const;
