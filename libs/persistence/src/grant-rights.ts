import type { DataSource } from 'typeorm';
import { type Relation, rightsSql as sql } from './rights.sql';

export interface ServiceRights {
  /** The database role that the service logs in as; it owns nothing. */
  role: string;
  /** Tables whose rows it may add and read, and never change or remove. */
  insertOnly: readonly string[];
}

/**
 * Gives a role rights on the rows of every table of the owner that `owner` is connected as, and on nothing else; says the same after the
 * second time as after the first. @throws QueryFailedError when there is no such role
 */
export async function grantRights(owner: DataSource, { role, insertOnly }: ServiceRights): Promise<void> {
  const [to] = await owner.query<[{ database: string; schema: string; role: string }]>(sql.places, [role]);
  const relations = await owner.query<Relation[]>(sql.relations, [insertOnly]);
  const grants = [
    sql.connect(to.database, to.role),
    sql.useSchema(to.schema, to.role),
    ...relations.map(relation => sql.useRelation(relation, to.role)),
  ];
  await owner.transaction(async manager => void (await manager.query(grants.join(';\n'))));
}
