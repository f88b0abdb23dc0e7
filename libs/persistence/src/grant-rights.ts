import type { DataSource } from 'typeorm';

export interface ServiceRights {
  /** What the service logs in as; it owns nothing. */
  role: string;
  /** Tables whose rows it may add and read, and never change or remove. */
  insertOnly: readonly string[];
}

const own = `relnamespace = current_schema()::regnamespace and pg_get_userbyid(relowner) = current_user`;
const relationsSql = `
  select quote_ident(relname) as name, relname = any($1) as "isInsertOnly", relkind = 'S' as "isSequence"
    from pg_class where ${own} and relkind in ('r', 'p', 'S') order by relname`;
const placesSql =
  'select quote_ident(current_database()) as database, quote_ident(current_schema()) as schema, quote_ident($1) as role';

interface Relation {
  name: string;
  isInsertOnly: boolean;
  isSequence: boolean;
}

/**
 * Gives a role rights on the rows of every table of the owner that `owner` is connected as, and on nothing else; says the same after the
 * second time as after the first. @throws QueryFailedError when there is no such role
 */
export async function grantRights(owner: DataSource, { role, insertOnly }: ServiceRights): Promise<void> {
  const [to] = await owner.query<[{ database: string; schema: string; role: string }]>(placesSql, [role]);
  const relations = await owner.query<Relation[]>(relationsSql, [insertOnly]);
  const grants = [
    `grant connect on database ${to.database} to ${to.role}`,
    `grant usage on schema ${to.schema} to ${to.role}`,
    ...relations.map(relation => `${rightsOn(relation)} to ${to.role}`),
  ];
  await owner.transaction(async manager => void (await manager.query(grants.join(';\n'))));
}

function rightsOn({ name, isInsertOnly, isSequence }: Relation): string {
  if (isSequence) return `grant usage on sequence ${name}`;
  return `grant ${isInsertOnly ? 'select, insert' : 'select, insert, update, delete, truncate'} on table ${name}`;
}
