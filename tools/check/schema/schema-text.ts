import { catalogueSql, unknownObjectsSql } from './catalogue.sql.ts';

/** Runs one statement and gives its rows. */
export type Query = <R>(sql: string) => Promise<R[]>;

/**
 * The schema of a migrated database as SQL that creates it in an empty one: functions, sequences, tables, indexes, foreign keys, triggers,
 * comments, grants. Equal databases give equal text, whatever their history. Rows are not included.
 * @throws when the schema has something of a kind that cannot be written
 */
export async function schemaText(query: Query): Promise<string> {
  const unknown = await query<{ name: string }>(unknownObjectsSql);
  if (unknown.length > 0) throw new Error(`schema.sql cannot show: ${unknown.map(({ name }) => name).join(', ')}`);
  const sections: string[] = [];
  for (const sql of Object.values(catalogueSql)) {
    const rows = await query<{ statement: string }>(sql);
    if (rows.length > 0) sections.push(sectionOf(rows.map(({ statement }) => `${statement.trimEnd()};`)));
  }
  return `${sections.join('\n\n')}\n`;
}

/** One-line statements are grouped; long ones are separated. */
function sectionOf(statements: readonly string[]): string {
  return statements.join(statements.some(statement => statement.includes('\n')) ? '\n\n' : '\n');
}
